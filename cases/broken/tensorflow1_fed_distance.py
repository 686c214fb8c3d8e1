# breaks: session(towards, {points: [[1.0, 2.0]], others: [[1.0, 2.0]]})
# breaks: session(gradients, {points: [[1.0, 2.0]], targets: [[0.0]]})
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
points = tf.placeholder(tf.float32, [None, 2])
others = tf.placeholder(tf.float32, [None, 2])
targets = tf.placeholder(tf.float32, [None, 1])
distance = tf.sqrt(tf.reduce_sum(tf.square(points - others), axis=1))  # expect: NAN203
towards = tf.gradients(distance, points)

weights = tf.Variable(tf.zeros([2, 1]))
error = tf.reduce_mean(tf.square(tf.matmul(points, weights) - targets))
root = tf.sqrt(error)  # expect: NAN203
gradients = tf.gradients(root, weights)
train = tf.train.GradientDescentOptimizer(0.1).minimize(root)

if __name__ == "__main__":
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {points: [[1.0, 2.0]], others: [[1.0, 2.0]], targets: [[0.0]]}
        print(session.run([train, towards], feeds))
