"""Who is let in: so many pages, so many of one visitor, the others in their order."""

from dpmia_lab.serve.door import PATIENCE, Door, Room, room_of_this_machine


class House:
    """Pages that open and close, and a clock that stands unless it is moved."""

    def __init__(self, pages: int = 2, each: int = 2, waiting: int = 3) -> None:
        self.open: set[str] = set()
        self.now = 0.0
        self.door = Door(Room(pages, each, waiting), lambda: self.open, lambda: self.now)

    def comes(self, visitor: str) -> bool:
        """Asks, and if let in opens a page and connects."""
        if not self.door.asked(visitor).open:
            return False
        with self.door.entering(visitor):
            kernel = f"{visitor}-{len(self.open)}-{self.now}"
            self.open.add(kernel)
        self.door.reads(kernel, visitor)
        return True

    def goes(self) -> None:
        self.open.remove(min(self.open))


def test_so_many_pages_and_the_next_waits_until_one_is_closed():
    house = House(pages=2)
    assert house.comes("a") and house.comes("b") and not house.comes("c")
    answer = house.door.asked("c")
    assert answer.place == 1 and "2 pages are open" in answer.sentence and "You are number 1" in answer.sentence
    house.goes()
    assert house.comes("c")


def test_the_first_in_the_queue_is_the_first_let_in():
    house = House(pages=1)
    house.comes("a")
    assert [house.door.asked(who).place for who in ("b", "c", "b", "d", "c")] == [1, 2, 1, 3, 2]
    house.goes()
    assert not house.comes("d") and not house.comes("c") and house.comes("b")
    assert house.door.asked("c").place == 1


def test_who_stops_asking_loses_the_place():
    house = House(pages=1)
    house.comes("a")
    house.door.asked("b")
    house.now = PATIENCE + 1
    assert house.door.asked("c").place == 1


def test_one_visitor_has_only_so_many_pages_and_does_not_hold_up_the_queue():
    house = House(pages=3, each=2)
    assert house.comes("a") and house.comes("a") and not house.comes("a")
    answer = house.door.asked("a")
    assert answer.place == 0 and "You have 2 pages of the lab open" in answer.sentence
    assert house.comes("b")


def test_a_page_on_its_way_to_a_kernel_counts():
    house = House(pages=1, each=1)
    with house.door.entering("a"):
        assert not house.door.asked("b").open and not house.door.asked("a").open
    assert house.door.asked("b").open


def test_an_endless_queue_is_refused():
    house = House(pages=1, waiting=3)
    house.comes("a")
    assert [house.door.asked(who).place for who in "bcd"] == [1, 2, 3]
    answer = house.door.asked("e")
    assert not answer.open and answer.place == 0 and "come back later" in answer.sentence


def test_the_time_to_wait_follows_from_how_often_pages_close():
    """Four pages closed in four minutes: the third in the queue waits about three."""
    house = House(pages=4)
    for who in "abcd":
        house.comes(who)
    assert "not known yet" in house.door.asked("x").sentence
    for _ in range(4):
        house.goes()
        house.door.free()
        house.open.add(f"z{house.now}")
        house.now += 60
    for who in "xyz":
        answer = house.door.asked(who)
    assert answer.place == 3 and "about 3 minutes" in answer.sentence


def test_looking_at_the_door_takes_nobody_in():
    """A page that waits keeps asking; only when it is opened is its place in the queue given up."""
    house = House(pages=1)
    assert house.door.asked("a").open and house.door.asked("a").open
    assert not house.door.asked("b").open
    assert house.comes("a") and not house.comes("b")


def test_one_without_a_cookie_comes_after_all_who_wait():
    house = House(pages=1)
    house.comes("a")
    house.door.asked("b")
    assert not house.door.asked("").open
    house.goes()
    assert not house.door.asked("").open and house.comes("b")
    house.goes()
    assert house.door.asked("").open and house.door.queue == {}


def test_pages_that_nobody_ever_read():
    house = House(pages=3)
    house.comes("a")
    house.open.add("a robot's")
    assert house.door.unread(60) == []
    house.now = 60
    assert house.door.unread(60) == ["a robot's"]


def test_the_room_follows_from_the_memory():
    room = room_of_this_machine()
    assert room.pages >= room.each >= 4
