"""The widgets that pages are made of: ipywidgets', but all share one layout, and one style of each kind.

ipywidgets gives every widget two of its own: of 535 widgets of a lesson 326 were such, each to be made, kept, sent and
taken in by the browser, and none said anything. How a page looks is in its stylesheet; whoever sets a layout or a style
of one of these sets it of all.
"""

from functools import cache

import ipywidgets as widgets
from traitlets import HasTraits, default

LAYOUT = widgets.Layout()


@cache
def style_of(kind: type) -> widgets.Widget:
    """A label takes the room it needs, where there is one."""
    return kind(**({"description_width": "initial"} if "description_width" in kind.class_traits() else {}))


class Shared(HasTraits):
    @default("layout")
    def _shared_layout(self) -> widgets.Layout:
        return LAYOUT


class Styled(Shared):
    @default("style")
    def _shared_style(self) -> widgets.Widget:
        return style_of(type(self).style.klass)


class Box(Shared, widgets.Box):
    pass


class HBox(Shared, widgets.HBox):
    pass


class VBox(Shared, widgets.VBox):
    pass


class Button(Styled, widgets.Button):
    pass


class Checkbox(Styled, widgets.Checkbox):
    pass


class Dropdown(Styled, widgets.Dropdown):
    pass


class FileUpload(Styled, widgets.FileUpload):
    pass


class HTML(Styled, widgets.HTML):
    pass


class IntSlider(Styled, widgets.IntSlider):
    pass


class SelectionSlider(Styled, widgets.SelectionSlider):
    pass


class Text(Styled, widgets.Text):
    pass


class ToggleButton(Styled, widgets.ToggleButton):
    pass
