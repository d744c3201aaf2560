interface NamedProps {
  /** `null` if the object is deleted. */
  readonly name: string | null;
  readonly id: string;
}

/** An object in a list: its name, with the id as its title. */
export function Named({ name, id }: NamedProps) {
  return <span title={name === null || name === id ? id : `${name} (${id})`}>{name ?? id}</span>;
}

/** An object in the details: its name, and the id if it differs. */
export function NamedInFull({ name, id }: NamedProps) {
  if (name === null || name === id) return <span className="break-all">{id}</span>;
  return (
    <>
      {name} <code className="font-mono text-soft text-xs break-all">{id}</code>
    </>
  );
}
