import tensorflow as tf
from tensorflow.contrib import layers, slim

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 2])

policy = tf.layers.dense(tf.layers.dense(x, 32, tf.nn.relu), 2, activation=tf.nn.softmax)
policy_loss = -tf.reduce_mean(tf.reduce_sum(y * tf.log(policy), 1))  # expect: NAN101 no-fix

critic = layers.fully_connected(x, 2, activation_fn=tf.nn.sigmoid)
critic_loss = -tf.reduce_mean(tf.log(critic))  # expect: NAN102 no-fix

rate = slim.fully_connected(x, 2)
rate_loss = tf.reduce_mean(rate - y * tf.log(rate))  # expect: NAN202

optimizer = tf.train.AdamOptimizer().minimize(policy_loss + critic_loss + rate_loss)
