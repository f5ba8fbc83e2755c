"""How pictures are measured, and how the pictures that owe nothing to an attack are drawn beside it."""

from dpmia_lab.words.said import marked

# measure: (name in words, what is what at the axis)
MEASURES = marked({
    "distance": ("Euclidean distance to the nearest training picture", "lower: closer to a real picture"),
    "ssim_distance": ("1 − SSIM to the nearest training picture", "lower: closer to a real picture"),
    "similarity": ("correlation with the nearest training picture", "higher: closer to a real picture"),
    "confidence": ("the model's own confidence", "higher: the model is surer"),
})  # fmt: skip
DASHES = {"noise": (0, (1, 1)), "blank": (0, (4, 2)), "other_class": (0, (6, 1, 1, 1)), "class_mean": "-"}
SHORT = marked({"noise": "noise", "blank": "black", "other_class": "someone else", "class_mean": "class mean"})
