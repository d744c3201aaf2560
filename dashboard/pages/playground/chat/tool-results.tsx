import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Field, TextArea } from '../../../kit/field.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import type { ToolCall, ToolResult } from './conversation.ts';

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  readonly onSend: (results: readonly ToolResult[]) => void;
}

/** The person acts as the tool and types its result, then the model continues. */
export function ToolResults({ calls, onSend }: ToolResultsProps) {
  const text = useText(playgroundText);
  const [outputs, setOutputs] = useState<readonly string[]>([]);
  return (
    <form
      className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(calls.map(({ id, name }, index) => ({ callId: id, name, output: outputs[index] ?? '' })));
      }}
    >
      {calls.map(({ name }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of one answer do not change
        <Field key={index} label={text.resultOf(name)}>
          <TextArea
            isCode
            rows={2}
            value={outputs[index] ?? ''}
            onChange={(event) => {
              const typed = event.currentTarget.value;
              setOutputs(calls.map((_, at) => (at === index ? typed : (outputs[at] ?? ''))));
            }}
          />
        </Field>
      ))}
      <Button type="submit" variant="primary" className="self-end">
        {text.sendResults}
      </Button>
    </form>
  );
}
