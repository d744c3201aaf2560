import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { Answer } from './answer.tsx';
import type { Attachment, ToolTurn, Turn, UserTurn } from './conversation.ts';
import { dataUri } from './formats/format.ts';
import { ToolResults } from './tool-results.tsx';
import type { Lane, LaneSettings } from './use-lane.ts';

interface LaneViewProps {
  readonly lane: Lane;
  readonly settings: LaneSettings;
  readonly onModel: (id: string) => void;
}

/** One model's side of the conversation. */
export function LaneView({ lane, settings, onModel }: LaneViewProps) {
  const { turns, isBusy, isWaitingForTools } = lane;
  const last = turns.at(-1);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows at its end
        <TurnView key={index} turn={turn} isLast={turn === last && !isBusy} {...{ lane, settings, onModel }} />
      ))}
      {isWaitingForTools && last?.role === 'answer' && (
        <ToolResults calls={last.calls} onSend={(results) => lane.sendResults(results, settings)} />
      )}
    </div>
  );
}

interface TurnViewProps extends LaneViewProps {
  readonly turn: Turn;
  readonly isLast: boolean;
}

function TurnView({ turn, isLast, lane, settings, onModel }: TurnViewProps) {
  if (turn.role === 'user') return <Said turn={turn} />;
  if (turn.role === 'tool') return <Results turn={turn} />;
  return (
    <Answer
      turn={turn}
      isJson={settings.asked.schema !== null}
      onAgain={isLast ? () => lane.again(settings) : undefined}
      onModel={isLast ? onModel : undefined}
    />
  );
}

function Said({ turn: { text, files } }: { readonly turn: UserTurn }) {
  const words = useText(playgroundText);
  return (
    <div className="flex max-w-[85%] min-w-0 flex-col gap-2 self-end rounded-lg bg-accent-ground px-3 py-2">
      <span className="sr-only">{words.you}</span>
      {text !== '' && <p className="whitespace-pre-wrap break-words">{text}</p>}
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a turn do not change
        <Shown key={index} file={file} />
      ))}
    </div>
  );
}

/** Image types that browsers show without running any content. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif)$/;

function Shown({ file }: { readonly file: Attachment }) {
  if (!PICTURES.test(file.type)) return <p className="truncate text-soft text-sm">{file.name}</p>;
  return <img src={dataUri(file)} alt={file.name} className="max-h-48 max-w-full self-start rounded-md" />;
}

function Results({ turn }: { readonly turn: ToolTurn }) {
  const text = useText(playgroundText);
  return turn.results.map(({ callId, name, output }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: ids may be empty
    <div key={`${index} ${callId}`} className="max-w-[85%] min-w-0 self-end rounded-lg bg-accent-ground px-3 py-2">
      <p className="text-soft text-xs">{text.resultOf(name)}</p>
      <pre className="whitespace-pre-wrap break-words font-mono text-xs">{output}</pre>
    </div>
  ));
}
