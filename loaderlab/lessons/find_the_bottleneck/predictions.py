"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Share, Speed
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction("limit", mark("Highest possible throughput"), mark("samples/s"), by=Amount(factor=1.3)),
    Prediction("reached", mark("Share of the limit that is reached"), "%", by=Amount(high=100, factor=3)),
    Prediction("core_share", mark("Share of a sample's time that needs a core"), "%", by=Share(points=12)),
    Prediction(
        "photos",
        mark("What does the rank see in the second epoch?"),
        choices={
            "others": mark("other photos"),
            "ordered": mark("the same photos in the same order"),
            "mixed": mark("the same photos in another order"),
        },
        by=Choice(
            dict.fromkeys(("others", "mixed"), mark("Each epoch was shuffled, but both have the same order."))
        ),
    ),
    Prediction(
        "alone",
        mark("How many times as fast if only the opens are repaired"),
        by=Speed(
            {2: mark("A sample alone takes half as long, but eight workers wait at the same time.")},
            close={
                1: mark("Nearly: eight workers wait at the same time, so a shorter wait gains only a little.")
            },
            even=1.3,  # by so much the start of eight workers moves the rate from run to run
        ),
    ),
)
