"""The members of predicates: what a value is, how it becomes 0, what it is used for.

A predicate that has members takes one of these words as its last argument: `is_a(x, "mask")`. The
function that is marked with the member (`@tells`) gives the answer.
"""

from __future__ import annotations

from enum import Enum


class Member(Enum):
    """One of the notions that a predicate can ask about."""

    @classmethod
    def asked_by(cls) -> str:
        """The name of the predicate that takes these members."""
        return _PREDICATES[cls.__name__]


class Role(Member):
    """What a value is, by its formula, its value and its uses."""

    MASK = "mask"
    LABEL = "label"
    CAUSAL = "causal mask"
    PREDICTION = "prediction"
    LENGTH = "length"
    DISPLACEMENT = "displacement"
    DATA = "data"
    DIFFERENCE = "difference"
    FREE_DIFFERENCE = "unbounded difference"
    CENTRED = "centred"
    COSINE = "cosine"
    LOGARITHMS = "sum of logarithms"
    QUADRATIC = "quadratic form"
    BATCH_SIZE = "batch size"
    GRADIENT = "gradient"
    SCALER = "gradient scaler"
    MODEL = "model"
    RAW_OUTPUT = "raw output"
    PROBABILITY = "probability"
    RELU = "bare relu"
    MASKED = "masked scores"
    MASKED_ROWS = "scores masked by rows"
    UNREACHED = "join of unreached states"
    MASKED_LOGITS = "masked logits"
    TABLE = "table"
    TENSOR_OF_TABLE = "tensor of a table"
    REPLACER = "replacer of NaN"
    SIZES = "sizes"
    NAN_GRADIENT = "source of NaN gradients"
    FRACTION = "proper fraction"
    BROKEN = "broken number"
    SINGULAR = "singular exponent"
    ABSORBED = "absorbed by 1"
    ONE = "one by rounding"
    SHIFTED = "shifted by a total"
    COARSE = "difference or zero"
    FACTOR = "factor of a matrix"
    UNEXPLAINED = "unexplained variance"
    RUNNING_VARIANCE = "variance of running sums"
    PAIRS = "kernel of pairs"
    SQUARED_DISTANCE = "squared distance"
    EIGENVALUE = "eigenvalue of a covariance"
    SEGMENTS = "sum by segment"
    SAMPLE = "own sample"


class Form(Member):
    """How a value is represented or written."""

    REAL = "real"
    COMPLEX = "complex"
    ARRAY = "array"
    TENSOR = "tensor"
    NUMBER = "python number"
    LITERAL = "literal"
    WRITTEN = "written out"
    HALF = "float16"
    BOOLEAN = "boolean"
    INT = "int"
    EUCLIDEAN = "euclidean order"
    POWER = "power"
    FRAMEWORK = "framework call"
    PLAIN = "plain arithmetic"
    NO_TENSOR = "no tensor"
    INDEX = "index"
    FULL = "full mask"
    KEPT_AXIS = "kept axis"
    OPTION = "one of several"


class Zero(Member):
    """How a value becomes 0."""

    EXACTLY = "exactly"
    POSSIBLY = "possibly"
    MADE = "as made"
    CUT = "cut off"
    ALIKE = "elements alike"
    PEAK = "as a maximum"
    THROUGHOUT = "throughout"
    SILENCE = "in silence"
    POWER = "as a power"
    SELECTED = "selected"
    DRAW = "drawn"
    KERNEL = "far away"
    AREA = "area"
    TRAINED = "trained"
    START = "at the first step"
    DEGREE = "degree"
    ROWS = "sum of rows"
    TALLY = "tally"
    STEP = "step"
    EXPONENTIAL_STEP = "exponential step"
    SUM = "sum"
    CLASS = "of some class"
    COUNT = "count"
    COUNTER = "counted elsewhere"
    SELECTION = "selection"
    EMPTIED = "emptied"
    FOUND = "found elsewhere"
    SIDE = "side"
    UNDERFLOW = "underflow"
    ENTROPY = "of an entropy"
    REST = "rest of a share"
    CHOSEN = "chosen by labels"
    MASKED_SUM = "masked sum"
    BESIDE = "guarded beside"
    COMPLEMENT = "complement guarded beside"
    ABOVE = "guarded above"
    TOGETHER = "together"
    GRID = "on a grid"
    DIAGONAL = "on the diagonal"
    FITTED = "fitted"
    DENSITY = "as a density"
    UNSET = "floor left at 0"
    SLOPE = "as a slope"


class Negative(Member):
    """How a value becomes negative."""

    POSSIBLY = "possibly"
    EVIDENTLY = "evidently"
    MADE = "as made"


class Infinity(Member):
    """How a result overflows."""

    GIVEN = "as given"
    TRAINED = "trained"
    SUM = "summed"
    TOGETHER = "together"
    BOUND = "at the bound"


class Guard(Member):
    """What keeps an operand from its singular point, or shows that the author handles it."""

    WHERE = "where"
    PATH = "path"
    SIZE = "size"
    SELECTION = "selection"
    UPDATE = "update"
    DRAW = "draw"
    EPSILON = "epsilon"
    OFFSET = "offset"
    MARGIN = "margin"
    COMPARISON = "comparison"
    BOUND = "bound"
    SUM = "sum"
    CHOSEN = "chosen bound"
    ALONE = "epsilon alone"
    RECTIFIER = "rectifier"


class Step(Member):
    """The circumstances in which a training loop makes a call."""

    SWITCHED_ON = "in every run"
    OF_TRAINING = "in training code"
    UNANNOUNCED = "unannounced"
    UNSCALED = "without scaler"
    SKIPPED = "skipped"
    LEFT_SCALED = "still scaled"
    ONE_UNSCALING = "unscaled once"


class Use(Member):
    """What a value is used for, in some visible use or in all of them."""

    LOGARITHM = "logarithm"
    PATCH = "patch"
    CHECK = "check"
    SCALE = "scale"
    COMPLEMENT = "complement"
    FACTOR = "factor"
    DIVISOR = "divisor"
    SQUARE = "square"
    RANK = "rank"
    ABSORBED = "absorbed"
    INTERPOLATION = "interpolation"
    ASKED = "asked for 0"
    FLOOR = "checked at its floor"
    CLEANED = "cleaned"
    DIFFERENTIATED = "differentiated"
    STAKE = "at stake"
    LEARNED = "learned from"
    TRAINED = "trained through"
    BESIDE = "divisor beside"
    OWN = "own quotient"
    NORMALIZED = "normalization"
    ROUNDED = "rounded divisor"
    VECTORS = "vectors"
    SINGULAR = "singular at 1"
    MAGNIFIED = "magnified"
    POWERS = "other exponential"
    ELU = "half of an ELU"
    MASKED = "factor of masked scores"
    ADDED = "summand"
    UNDONE = "put back"
    INVERTED = "inverted again"
    CAPPED = "capped"


_PREDICATES = {
    "Role": "is_a",
    "Form": "has_form",
    "Zero": "attains_zero",
    "Negative": "attains_negative",
    "Infinity": "overflows",
    "Guard": "is_guarded",
    "Step": "takes_place",
    "Use": "is_used",
}
