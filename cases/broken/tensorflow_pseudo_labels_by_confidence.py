# breaks: value(consistency, [[0.1, 0.0], [0.0, 0.1]], [[0.1, 0.0], [0.0, 0.1]])
import tensorflow as tf


def consistency(weak, strong):
    share = tf.stop_gradient(tf.nn.softmax(weak, axis=-1))
    confidence = tf.reduce_max(share, axis=-1)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=share, logits=strong)
    return tf.reduce_mean(tf.boolean_mask(loss, confidence > 0.95))  # expect: NAN307 no-fix


def step(model, optimizer, weak, strong):
    with tf.GradientTape() as tape:
        loss = consistency(model(weak), model(strong))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
