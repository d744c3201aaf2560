import { CircleCheck, LoaderCircle } from 'lucide-react';
import { OuterLink } from '../../kit/button.tsx';
import { cx } from '../../kit/classes.ts';
import { CodeBlock } from '../../kit/copy.tsx';
import { Notice } from '../../kit/status.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useSearchState } from '../../shell/search.ts';
import { useBaseUrls } from '../../shell/use-own-address.ts';
import { firstStepsText } from '../../text/first-steps.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import type { Progress } from './progress.ts';
import { CLIENTS, type ClientId, snippetsFor } from './snippets.ts';

interface ClientsStepProps {
  readonly progress: Progress;
  readonly secret: string | null;
  readonly model: string | undefined;
}

const PLACEHOLDER = 'sk-…';

export function ClientsStep({ progress: { usedKey }, secret, model = 'sandbox-chat' }: ClientsStepProps) {
  const text = useText(firstStepsText);
  const { guides } = useText(shellText);
  const baseUrls = useBaseUrls();
  const { values, set } = useSearchState(['client']);
  const open = CLIENTS.find((client) => client === values.client) ?? 'claude-code';
  const setting = { ...baseUrls, key: secret ?? PLACEHOLDER, model };
  const Icon = usedKey ? CircleCheck : LoaderCircle;
  const contentOf = (client: ClientId) => (
    <div className="flex min-w-0 flex-col gap-3">
      {snippetsFor(client, setting).map(({ title, language, code }) => (
        <CodeBlock key={title} title={title} language={language} code={code} />
      ))}
      {text.notes[client] !== '' && <p className="text-soft text-sm">{text.notes[client]}</p>}
    </div>
  );
  return (
    <>
      <p className="text-soft text-sm">{text.clientsAbout}</p>
      <Notice tone={secret === null ? 'neutral' : 'accent'}>{secret === null ? text.withoutKey : text.withKey}</Notice>
      <Tabs
        label={text.clients}
        value={open}
        onChange={(client) => set({ client })}
        tabs={CLIENTS.map((client) => ({ value: client, label: text.names[client], content: contentOf(client) }))}
      />
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm">
        <p role="status" className={cx('flex items-center gap-1.5', usedKey ? 'text-good' : 'text-soft')}>
          <Icon aria-hidden className={cx('size-4 shrink-0', !usedKey && 'animate-spin motion-reduce:animate-none')} />
          {usedKey ? text.seen(usedKey.name) : text.waiting}
        </p>
        <OuterLink href="docs/guides" target="_blank">
          {guides}
        </OuterLink>
      </div>
    </>
  );
}
