interface NamedProps {
  /** `null` if it has no name, or is deleted. */
  readonly name: string | null | undefined;
  readonly id: string;
}

/** An object in a list or a sentence: its name, with the id as its title. */
export function Named({ name, id }: NamedProps) {
  const isId = name == null || name === '' || name === id;
  return <span title={isId ? id : `${name} (${id})`}>{isId ? id : name}</span>;
}

/** An object in details: its name, and the id if it differs. */
export function NamedInFull({ name, id }: NamedProps) {
  if (name == null || name === '' || name === id) return <span className="break-all">{id}</span>;
  return (
    <>
      {name} <code className="font-mono text-soft text-xs break-all">{id}</code>
    </>
  );
}
