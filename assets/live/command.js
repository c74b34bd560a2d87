// The command line that takes the run to where it is now: what the page gives, and what happened since.

const PRINTED = 20; // lines of the command's output, about

/**
 * @param command "python -m bnviz train --set …"
 * @param store {live, changes}: the newest frame, and the live changes with their steps
 */
export function commandLine(command, { live, changes }) {
  if (!command) return "";
  const steps = live?.step ?? 0;
  const given = command.replace(/\s--(?:steps|every|change)(?:\s+|=)\S+/g, "");
  const log = changes.flatMap(({ step, values }) =>
    Object.entries(values).map(([name, value]) => ` --change ${step}:${name}=${written(value)}`),
  );
  const every = Math.max(1, Math.ceil(steps / PRINTED));
  return `${given}${log.join("")} --steps ${steps} --every ${every}`;
}

function written(value) {
  if (value === null) return "none";
  return Array.isArray(value) ? value.map(written).join(",") : String(value);
}
