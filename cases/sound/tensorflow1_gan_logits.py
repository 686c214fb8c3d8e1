# holds: session(D_loss, {X: [[-1e6]], Z: [[1e6]]})
import tensorflow as tf

X = tf.placeholder(tf.float32, [None, 1])
Z = tf.placeholder(tf.float32, [None, 1])
D_W = tf.Variable([[1.0]])


def xent(logits, target):
    labels = tf.ones_like(logits) * target
    return tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels)
    )


D_loss = xent(tf.matmul(X, D_W), 1.0) + xent(tf.matmul(Z, D_W), 0.0)
D_solver = tf.train.AdamOptimizer().minimize(D_loss)
