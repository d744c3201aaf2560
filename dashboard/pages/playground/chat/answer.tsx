import { LoaderCircle, RotateCw, Wrench } from 'lucide-react';
import { Button } from '../../../kit/button.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Badge } from '../../../kit/status.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { parseJson } from '../../shared/json.ts';
import { FailureBox } from '../failure-box.tsx';
import { Markdown } from '../markdown.tsx';
import { StoryLine } from '../story.tsx';
import type { AnswerTurn, ToolCall } from './conversation.ts';

interface AnswerProps {
  readonly turn: AnswerTurn;
  readonly isJson: boolean;
  /** Set for the last answer only. */
  readonly onAgain?: (() => void) | undefined;
  readonly onModel?: ((id: string) => void) | undefined;
}

export function Answer({ turn, isJson, onAgain, onModel }: AnswerProps) {
  const text = useText(playgroundText);
  const { reasoning, calls, failure, isRunning, isStopped, requestId, routing, losses, firstMs, totalMs } = turn;
  const isSilent = turn.text === '' && calls.length === 0;
  return (
    <article aria-label={text.answerOf(turn.model)} className="flex min-w-0 flex-col gap-2">
      <p className="flex items-center gap-2 text-soft text-xs">
        <span className="truncate font-mono" title={turn.model}>
          {turn.model}
        </span>
        {isStopped && <Badge tone="warn">{text.stopped}</Badge>}
        {turn.finish === 'length' || turn.finish === 'max_tokens' || turn.finish === 'MAX_TOKENS' ? (
          <Badge tone="warn">{text.cutByLength}</Badge>
        ) : null}
      </p>
      {reasoning !== '' && (
        <div className="rounded-lg bg-sunken px-3 py-1 text-soft text-sm">
          <Disclosure title={isRunning && isSilent ? text.thinking : text.reasoning}>
            <p className="whitespace-pre-wrap break-words">{reasoning}</p>
          </Disclosure>
        </div>
      )}
      {turn.text !== '' && <Markdown text={isJson ? fenced(turn.text) : turn.text} />}
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call only grows at its end
        <Call key={index} call={call} />
      ))}
      {isRunning && isSilent && (
        <p role="status" className="flex items-center gap-2 text-soft text-sm">
          <LoaderCircle aria-hidden className="size-4 animate-spin motion-reduce:animate-none" />
          {text.waiting}
        </p>
      )}
      {failure && <FailureBox failure={failure} {...(onAgain && { onRetry: onAgain })} {...(onModel && { onModel })} />}
      {!isRunning && requestId !== null && <StoryLine {...{ requestId, routing, losses, firstMs, totalMs }} />}
      {onAgain && failure === null && (
        <Button size="small" variant="quiet" icon={RotateCw} onClick={onAgain} className="-ml-2 self-start">
          {text.again}
        </Button>
      )}
    </article>
  );
}

/** Formats JSON as an indented code block. */
function fenced(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function Call({ call }: { readonly call: ToolCall }) {
  const text = useText(playgroundText);
  const value = parseJson(call.arguments);
  return (
    <div className="min-w-0 rounded-lg border border-line p-3">
      <p className="flex items-center gap-1.5 text-sm">
        <Wrench aria-hidden className="size-4 shrink-0 text-soft" />
        <span className="min-w-0 break-words">
          {text.calls} <code className="font-mono font-medium">{call.name}</code>
        </span>
      </p>
      <pre className="mt-1 overflow-x-auto whitespace-pre-wrap break-words font-mono text-xs">
        {value === undefined ? call.arguments : JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
