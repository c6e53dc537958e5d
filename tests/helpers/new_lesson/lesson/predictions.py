"""The guesses that learners of this lesson make before they look."""

from loaderlab.course.prediction import Prediction
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction("samples", mark("Samples in the list"), computed=True),
    Prediction("indices", mark("Indices of the list"), computed=True),
    Prediction("last", mark("The index of the last sample"), computed=True),
)
