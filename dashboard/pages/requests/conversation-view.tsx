import { Bot, Settings2, UserRound, Wrench } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Badge, Notice } from '../../kit/status.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { MessageText } from '../shared/message-text.tsx';
import type { Answered, Asked, Piece, Role, Turn } from './conversation/turns.ts';

const ICONS = { system: Settings2, user: UserRound, assistant: Bot, tool: Wrench } as const;
/** A coding agent's request repeats hundreds of turns: the last ones matter. */
const FIRST_TURNS = 30;

export function AskedView({ asked: { turns, tools } }: { readonly asked: Asked }) {
  const text = useText(requestsText);
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, turns.length - FIRST_TURNS);
  return (
    <>
      {tools.length > 0 && (
        <Disclosure title={text.tools(tools.length)}>
          <p className="break-words font-mono text-xs">{tools.join(', ')}</p>
        </Disclosure>
      )}
      {hidden > 0 && (
        <Button size="small" variant="quiet" className="self-start" onClick={() => setWhole(true)}>
          {text.earlierTurns(hidden)}
        </Button>
      )}
      <Turns turns={turns.slice(hidden)} />
    </>
  );
}

export function AnsweredView({ answered: { turns, error } }: { readonly answered: Answered }) {
  return (
    <>
      <Turns turns={turns} />
      {error !== null && (
        <Notice tone="bad" title={<MessageText message={error.message} />}>
          {error.code !== '' && <code className="break-all font-mono text-xs">{error.code}</code>}
        </Notice>
      )}
    </>
  );
}

function Turns({ turns }: { readonly turns: readonly Turn[] }) {
  if (turns.length === 0) return null;
  return (
    <ol className="flex flex-col gap-3">
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a captured turn does not change
        <li key={index} className="min-w-0">
          <TurnView turn={turn} />
        </li>
      ))}
    </ol>
  );
}

const GROUNDS: Readonly<Record<Role, string>> = {
  system: 'bg-sunken',
  user: 'bg-accent-ground',
  assistant: 'border border-line',
  tool: 'bg-sunken',
};

function TurnView({ turn: { role, pieces, finish } }: { readonly turn: Turn }) {
  const text = useText(requestsText);
  const Icon = ICONS[role];
  return (
    <div className={`flex min-w-0 flex-col gap-2 rounded-lg px-3 py-2 text-sm ${GROUNDS[role]}`}>
      <p className="flex flex-wrap items-center gap-1.5 font-medium text-xs">
        <Icon aria-hidden className="size-3.5 shrink-0" />
        {text.roles[role]}
        {finish !== undefined && <Badge>{text.finish(finish)}</Badge>}
      </p>
      <Pieces pieces={pieces} />
    </div>
  );
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return pieces.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a captured piece does not change
    <PieceView key={index} piece={piece} />
  ));
}

function PieceView({ piece }: { readonly piece: Piece }): ReactNode {
  const text = useText(requestsText);
  switch (piece.type) {
    case 'text':
      return <Long text={piece.text} />;
    case 'refusal':
      return (
        <Labelled label={text.refusal}>
          <Long text={piece.text} />
        </Labelled>
      );
    case 'reasoning':
      if (piece.text === '') return <p className="text-soft italic">{text.reasoningHidden}</p>;
      return (
        <Disclosure title={text.reasoning}>
          <Long text={piece.text} />
        </Disclosure>
      );
    case 'call':
      return (
        <Labelled label={text.toolCall} name={piece.name} id={piece.id}>
          <Long text={piece.input} isCode />
        </Labelled>
      );
    case 'result':
      return (
        <Labelled label={piece.isError ? text.toolError : text.toolResult} name={piece.name} id={piece.id}>
          <Pieces pieces={piece.pieces} />
        </Labelled>
      );
    case 'image':
      return <Picture url={piece.url} about={piece.about} />;
    case 'file':
      return <p className="break-all text-soft">{text.file(piece.about)}</p>;
    case 'other':
      return (
        <Disclosure title={<code className="font-mono text-xs">{piece.kind === '' ? text.other : piece.kind}</code>}>
          <Long text={piece.json} isCode />
        </Disclosure>
      );
  }
}

interface LabelledProps {
  readonly label: string;
  readonly name?: string;
  readonly id?: string;
  readonly children: ReactNode;
}

function Labelled({ label, name = '', id = '', children }: LabelledProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="break-words text-soft text-xs" {...(id !== '' && { title: id })}>
        {label} {name !== '' && <code className="font-medium font-mono text-text">{name}</code>}
      </p>
      {children}
    </div>
  );
}

/** Only data of a known type is shown: a picture elsewhere would tell its host who reads this. */
function Picture({ url, about }: { readonly url: string | null; readonly about: string }) {
  const text = useText(requestsText);
  const [isBroken, setBroken] = useState(false);
  if (url === null || isBroken) return <p className="break-all text-soft">{text.imageNotShown(about)}</p>;
  return (
    <img
      src={url}
      alt={text.image(about)}
      className="max-h-64 max-w-full self-start rounded-md"
      onError={() => setBroken(true)}
    />
  );
}

/** Longer texts are shown in full on request. */
const MOST_CHARACTERS = 5_000;

function Long({ text: whole, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  const text = useText(requestsText);
  const [isWhole, setWhole] = useState(false);
  const isShort = isWhole || whole.length <= MOST_CHARACTERS;
  const Element = isCode ? 'pre' : 'p';
  return (
    <>
      <Element className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${isCode ? 'font-mono text-xs' : ''}`}>
        {isShort ? whole : `${whole.slice(0, MOST_CHARACTERS)}…`}
      </Element>
      {!isShort && (
        <Button size="small" variant="quiet" className="self-start" onClick={() => setWhole(true)}>
          {text.showAll}
        </Button>
      )}
    </>
  );
}
