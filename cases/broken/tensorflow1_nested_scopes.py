# breaks: (lambda m: session(tf.gradients(m.loss, m.logits), {m.inputs: [[1e6] * 4], m.labels: [[1.0, 1.0]]}))(Model(2))
import tensorflow as tf


class Model(object):
    def __init__(self, n_classes):
        self.n_classes = n_classes
        with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
            self.inputs = tf.placeholder(tf.float32, [None, 4])
            self.labels = tf.placeholder(tf.float32, [None, n_classes])
            self._build()

    def _build(self):
        with tf.variable_scope("dense"):
            W = tf.get_variable("W", [4, self.n_classes])
            self.logits = tf.matmul(self.inputs, W)
        with tf.name_scope("loss"):
            self.probs = tf.nn.softmax(self.logits)
            nll = -tf.reduce_sum(self.labels * tf.log(self.probs), 1)  # expect: NAN101
            self.loss = tf.reduce_mean(nll)
        self.train_op = tf.train.AdamOptimizer().minimize(self.loss)
