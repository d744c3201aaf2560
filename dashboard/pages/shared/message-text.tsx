import { plainMessage } from './message.ts';

/** A message of the gateway or an upstream, as text; names between backticks are set as code. */
export function MessageText({ message }: { readonly message: string }) {
  const parts = plainMessage(message).split(/`([^`\n]+)`/);
  return (
    <span className="block whitespace-pre-line [overflow-wrap:anywhere]">
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message do not change
          <code key={index} className="font-mono text-[0.9em]">
            {part}
          </code>
        ),
      )}
    </span>
  );
}
