// A layer x̂ = u + b − E[u + b], followed by a fixed readout and a cross-entropy loss. Only b is trained. This is the
// setting of claim E3 (bnviz/claims/e03_mean_outside_gradient.py), in float64. A test compares it with the engine's
// run.

const rows = (count, width) => Array.from({ length: count }, () => new Float64Array(width));

/**
 * Train b from 0 by gradient descent.
 * @param layer {inputs [N][D], readout [D][C], labels [N]}
 * @param settings {steps, rate, differentiated: whether the gradient includes the path through the mean E; if it does
 * not, E is treated as a constant}
 * @returns {losses, norms [steps + 1]: loss and ‖b‖ after each number of steps, bias [D]}
 */
export function trainBias(layer, { steps, rate, differentiated }) {
  const unit = new CentredUnit(layer);
  const losses = new Float64Array(steps + 1);
  const norms = new Float64Array(steps + 1);
  for (let step = 0; step <= steps; step++) {
    if (step) unit.learn(rate, differentiated);
    losses[step] = unit.forward();
    norms[step] = Math.hypot(...unit.bias);
  }
  return { losses, norms, bias: [...unit.bias] };
}

class CentredUnit {
  constructor({ inputs, readout, labels }) {
    const [count, width, classes] = [inputs.length, readout.length, readout[0].length];
    this.inputs = inputs.map((row) => Float64Array.from(row));
    this.labels = labels;
    this.bias = new Float64Array(width);
    this.byUnit = readout.map((row) => Float64Array.from(row)); // [D][C]
    this.byClass = rows(classes, width).map((row, c) => row.map((_, d) => readout[d][c])); // [C][D]
    this.values = rows(count, width); // x̂
    this.logitGradients = rows(count, classes); // ∂ℓ/∂logits
    this.valueGradients = rows(count, width); // ∂ℓ/∂x̂
  }

  /** Return the mean cross-entropy for the current b. Store the gradients with respect to the logits for `learn`. */
  forward() {
    const { inputs, values, logitGradients, bias, labels } = this;
    values.forEach((row, n) => {
      const input = inputs[n];
      for (let d = 0; d < row.length; d++) row[d] = input[d] + bias[d];
    });
    takeMeansFrom(values);
    let loss = 0;
    logitGradients.forEach((logits, n) => {
      multiply(logits, this.byClass, values[n]);
      loss += softmaxGradients(logits, labels[n], logitGradients.length) / logitGradients.length;
    });
    return loss;
  }

  /** Move b by one gradient step. */
  learn(rate, differentiated) {
    const { valueGradients, logitGradients, bias } = this;
    valueGradients.forEach((row, n) => multiply(row, this.byUnit, logitGradients[n]));
    // ∂ℓ/∂u: subtract the mean over the examples from each unit's gradients
    if (differentiated) takeMeansFrom(valueGradients);
    for (let d = 0; d < bias.length; d++) {
      let total = 0;
      for (const row of valueGradients) total += row[d];
      bias[d] -= rate * total;
    }
  }
}

/** Write the product of a matrix and a vector into `to`. */
function multiply(to, matrix, vector) {
  for (let i = 0; i < to.length; i++) {
    const row = matrix[i];
    let total = 0;
    for (let j = 0; j < row.length; j++) total += row[j] * vector[j];
    to[i] = total;
  }
}

/** Subtract each unit's mean over the examples from its values. */
function takeMeansFrom(examples) {
  for (let d = 0; d < examples[0].length; d++) {
    let mean = 0;
    for (const row of examples) mean += row[d] / examples.length;
    for (const row of examples) row[d] -= mean;
  }
}

/**
 * Replace the logits of an example by the gradient of the mean loss with respect to these logits. @returns the
 * example's loss
 */
function softmaxGradients(logits, label, count) {
  let highest = logits[0];
  for (let c = 1; c < logits.length; c++) highest = Math.max(highest, logits[c]);
  const chosen = logits[label] - highest;
  let total = 0;
  for (let c = 0; c < logits.length; c++) {
    logits[c] = Math.exp(logits[c] - highest);
    total += logits[c];
  }
  for (let c = 0; c < logits.length; c++) logits[c] = (logits[c] / total - (c === label ? 1 : 0)) / count;
  return Math.log(total) - chosen;
}
