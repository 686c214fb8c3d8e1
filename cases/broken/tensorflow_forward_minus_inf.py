# breaks: gradient(forward, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
import tensorflow as tf


def forward(emissions, transitions):
    allowed = tf.constant([[True, False], [True, False]])
    transitions = tf.where(allowed, transitions, -float("inf"))
    alpha = emissions[0]
    for emission in tf.unstack(emissions)[1:]:
        alpha = tf.reduce_logsumexp(alpha[:, None] + transitions, axis=0) + emission  # expect: NAN406 possible
    return tf.reduce_logsumexp(alpha)
