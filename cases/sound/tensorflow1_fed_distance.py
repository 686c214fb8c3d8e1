# holds: session(distance, {points: [[1.0, 2.0]], others: [[1.0, 2.0]]})
# holds: session(gradients, {points: [[1.0, 2.0]], others: [[1.0, 2.0]], targets: [[0.0]]})
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
points = tf.placeholder(tf.float32, [None, 2])
others = tf.placeholder(tf.float32, [None, 2])
targets = tf.placeholder(tf.float32, [None, 1])
distance = tf.sqrt(tf.reduce_sum(tf.square(points - others), axis=1))

weights = tf.Variable(tf.zeros([2, 1]))
error = tf.reduce_mean(tf.square(tf.matmul(points, weights) - targets))
root = tf.sqrt(error)
gradients = tf.gradients(error, weights)
train = tf.train.GradientDescentOptimizer(0.1).minimize(error)

if __name__ == "__main__":
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {points: [[1.0, 2.0]], others: [[1.0, 2.0]], targets: [[0.0]]}
        _, error_now = session.run([train, root], feeds)
        print(error_now, session.run(distance, feeds))
