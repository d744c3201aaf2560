import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { addressOf } from '../../api/client.ts';
import type { ManagedBatch, ShownBatch } from '../../api/schema.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { FileButton, LinkButton } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { NamedInFull } from '../../kit/named.tsx';
import { type Definition, Definitions, Stat, StatRow } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { batchesText } from '../../text/batches.ts';
import { useText } from '../../text/text.tsx';
import { CancelButton } from '../shared/cancel-button.tsx';
import { BatchState } from './batch-state.tsx';
import { doneIn } from './progress.ts';

const WHILE_OPEN_MS = 3_000;

interface BatchSheetProps {
  /** `''` while closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function BatchSheet({ id, onClose }: BatchSheetProps) {
  const text = useText(batchesText);
  return (
    <Sheet
      title={text.batch}
      description={<CopyText text={id} label={text.copyId} />}
      isOpen={id !== ''}
      onClose={onClose}
      size="large"
    >
      {id !== '' && <Batch key={id} id={id} />}
    </Sheet>
  );
}

function Batch({ id }: { readonly id: string }) {
  const { query } = useScope();
  const [isOpen, setOpen] = useState(true);
  const read = isOpen ? { every: WHILE_OPEN_MS } : {};
  const { data, error, refetch } = useApi('getManagedBatch', { params: { id }, query }, read);
  const isStillOpen = data === undefined || data.ended_at === null;
  useEffect(() => setOpen(isStillOpen), [isStillOpen]);
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : <Told batch={data} />;
}

function Told({ batch }: { readonly batch: ShownBatch }) {
  const text = useText(batchesText);
  const { mayWrite, isMember } = useScope();
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <BatchState batch={batch} />
        {mayWrite && batch.ended_at === null && batch.cancel_requested_at === null && <CancelBatch batch={batch} />}
      </div>
      <Errors errors={batch.errors} />
      <Counts batch={batch} />
      <div className="flex flex-wrap gap-2">
        <ToRequests batch={batch} />
        {mayWrite && <Downloads batch={batch} />}
      </div>
      {mayWrite && !isMember && <p className="text-soft text-sm">{text.audited}</p>}
      <Facts batch={batch} />
    </div>
  );
}

function Counts({ batch }: { readonly batch: ManagedBatch }) {
  const text = useText(batchesText);
  const format = useFormat();
  if (batch.lines === 0) return null;
  const shown = (['succeeded', 'errored', 'cancelled', 'expired'] as const).filter(
    (name) => name === 'succeeded' || name === 'errored' || batch[name] > 0,
  );
  const waiting = batch.lines - doneIn(batch);
  return (
    <StatRow>
      <Stat size="small" label={text.lines} value={format.number(batch.lines)} />
      {shown.map((name) => (
        <Stat key={name} size="small" label={text.counts[name]} value={format.number(batch[name])} />
      ))}
      {waiting > 0 && <Stat size="small" label={text.counts.waiting} value={format.number(waiting)} />}
    </StatRow>
  );
}

/** Why the input was refused, by line. */
function Errors({ errors }: Pick<ShownBatch, 'errors'>) {
  const text = useText(batchesText);
  if (errors.length === 0) return null;
  return (
    <Notice tone="bad" title={text.errors}>
      <ul className="flex flex-col gap-1">
        {errors.map(({ code, message, line }) => (
          <li key={`${line} ${code} ${message}`} className="break-words">
            {line !== null && <span className="font-medium">{text.line(line)}: </span>}
            {message} <code className="font-mono text-soft text-xs">{code}</code>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function ToRequests({ batch: { id, account } }: { readonly batch: ManagedBatch }) {
  const text = useText(batchesText);
  const { base, accountId } = useScope();
  const to = accountId === null ? `/app/a/${encodeURIComponent(account)}/requests` : `${base}/requests`;
  return (
    <LinkButton size="small" to={to} search={{ batch: id } as never}>
      {text.toRequests}
    </LinkButton>
  );
}

function Downloads({ batch }: { readonly batch: ManagedBatch }) {
  const text = useText(batchesText);
  const { query } = useScope();
  const files = [
    [text.downloadOutput, batch.output_file],
    [text.downloadErrors, batch.error_file],
    [text.downloadInput, batch.input_file],
  ] as const;
  return files.map(
    ([label, id]) =>
      id !== null && (
        <FileButton
          key={label}
          size="small"
          icon={Download}
          href={addressOf('getManagedFileContent', { params: { id }, query })}
        >
          {label}
        </FileButton>
      ),
  );
}

function CancelBatch({ batch: { id } }: { readonly batch: ManagedBatch }) {
  const text = useText(batchesText);
  const toast = useToast();
  const { query } = useScope();
  const cancel = useChange('cancelManagedBatch', {
    touches: ['listManagedBatches', 'getManagedBatch'],
    onDone: () => toast.done(text.cancelAsked),
  });
  return (
    <CancelButton
      text={text}
      isBusy={cancel.isPending}
      onConfirm={() => cancel.mutateAsync({ params: { id }, query })}
    />
  );
}

function Facts({ batch }: { readonly batch: ShownBatch }) {
  const text = useText(batchesText);
  const format = useFormat();
  const { accountId } = useScope();
  const { tokens, metadata } = batch;
  const time = (term: string, at: string | null) => at !== null && { term, value: <Time at={at} /> };
  const items: readonly (Definition | false)[] = [
    accountId === null && {
      term: text.account,
      value: <NamedInFull name={batch.account_name} id={batch.account} />,
    },
    { term: text.key, value: <NamedInFull name={batch.key_name} id={batch.key} /> },
    { term: text.api, value: text.names[batch.api] },
    { term: text.endpoint, value: <code className="font-mono text-xs">{batch.endpoint}</code> },
    { term: text.model, value: batch.model ?? (batch.lines === 0 ? '–' : text.various) },
    {
      term: batch.ended_at === null ? text.costSoFar : text.cost,
      value: <Money usd={batch.cost_usd} isExact />,
    },
    { term: text.tokens, value: text.tokensOf(format.number(tokens.input), format.number(tokens.output)) },
    time(text.created, batch.created_at),
    time(text.started, batch.started_at),
    batch.ended_at === null && { term: text.deadline, value: <Time at={batch.deadline} /> },
    time(text.ended, batch.ended_at),
    time(text.deleted, batch.expires_at),
    metadata !== null &&
      Object.keys(metadata).length > 0 && {
        term: text.metadata,
        value: Object.entries(metadata).map(([name, value]) => (
          <div key={name} className="break-words">
            <span className="text-soft">{name}:</span> {value}
          </div>
        )),
      },
  ];
  return <Definitions items={items.filter((item) => item !== false)} />;
}
