// The command line that takes the run to where it is now: what the page gives, and what happened since.

const PRINTED = 20; // lines of the command's output, about

/** Whether a knob was dragged: such a change has a path, which only the exported file has in full. */
export function hasPath({ changes }) {
  return changes.some(({ until }) => until !== undefined);
}

/** What the run's exported data is called. */
export function exportName(run, kind) {
  return `bnviz-${run}.${kind}`;
}

/**
 * @param command "python -m bnviz train --set …"
 * @param store {run, live, changes}: the newest frame, and the live changes with their steps
 */
export function commandLine(command, store) {
  if (!command) return "";
  const { run, live, changes } = store;
  const steps = live?.step ?? 0;
  const given = command.replace(/\s--(?:steps|every|changes?)(?:\s+|=)\S+/g, "");
  const log = hasPath(store) ? [` --changes ${exportName(run, "json")}`] : changes.flatMap(({ step, values }) =>
    Object.entries(values).map(([name, value]) => ` --change ${step}:${name}=${written(value)}`),
  );
  const every = Math.max(1, Math.ceil(steps / PRINTED));
  return `${given}${log.join("")} --steps ${steps} --every ${every}`;
}

function written(value) {
  if (value === null) return "none";
  return Array.isArray(value) ? value.map(written).join(",") : String(value);
}
