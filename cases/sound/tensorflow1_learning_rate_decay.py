import math

import tensorflow as tf

batch_size, n = 64, 60000
steps = n / batch_size
lr = tf.train.exponential_decay(0.1, tf.Variable(0, trainable=False), steps, 0.95)
stddev = 1.0 / math.sqrt(784)
W = tf.Variable(tf.truncated_normal([784, 10], stddev=stddev))
scale = tf.sqrt(2.0 / 784)
