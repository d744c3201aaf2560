import type { AuditEntry } from '../../api/schema.ts';
import { Button } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { useFormat } from '../../kit/format.tsx';
import { NamedInFull } from '../../kit/named.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { auditText } from '../../text/audit.ts';
import { auditSentences } from '../../text/audit-sentences.ts';
import { useText } from '../../text/text.tsx';
import { actionName } from '../shared/audit/action-name.ts';
import { actorName } from '../shared/audit/actor-name.ts';
import { AuditDiff } from '../shared/audit/audit-diff.tsx';
import { auditSentence } from '../shared/audit/audit-sentence.ts';

interface EntrySheetProps {
  /** Undefined while closed. */
  readonly entry: AuditEntry | undefined;
  readonly onClose: () => void;
  readonly onFilter: (changes: { readonly actor?: string; readonly object?: string }) => void;
}

export function EntrySheet({ entry, onClose, onFilter }: EntrySheetProps) {
  const text = useText(auditText);
  const sentences = useText(auditSentences);
  return (
    <Sheet
      title={entry === undefined ? '' : auditSentence(entry, text, sentences)}
      description={entry && text.entry(String(entry.id))}
      isOpen={entry !== undefined}
      onClose={onClose}
      size="large"
    >
      {entry && (
        <div className="flex flex-col gap-5">
          <Facts entry={entry} />
          <section>
            <h3 className="mb-2 font-semibold">{text.changes}</h3>
            <AuditDiff entry={entry} />
          </section>
          <div className="flex flex-wrap gap-2">
            {entry.actor.id !== null && (
              <Button size="small" onClick={() => onFilter({ actor: entry.actor.id ?? '' })}>
                {text.byActor}
              </Button>
            )}
            <Button size="small" onClick={() => onFilter({ object: entry.object_id })}>
              {text.ofObject}
            </Button>
          </div>
        </div>
      )}
    </Sheet>
  );
}

function Facts({ entry }: { readonly entry: AuditEntry }) {
  const text = useText(auditText);
  const format = useFormat();
  const { actor, actor_name, account, account_name, address, object_id, object_name, request_id } = entry;
  return (
    <Definitions
      items={[
        { term: text.time, value: format.exactTime(entry.at) },
        {
          term: text.action,
          value: (
            <>
              {actionName(entry, text)} <code className="font-mono text-soft text-xs">{entry.action}</code>
            </>
          ),
        },
        { term: text.actor, value: `${actorName(actor, text, actor_name)} (${text.kinds[actor.kind]})` },
        ...(address === null ? [] : [{ term: text.address, value: <CopyText text={address} /> }]),
        {
          term: text.object,
          value: (
            <>
              {object_name !== null && object_name !== object_id && `${object_name} `}
              <CopyText text={object_id} />
            </>
          ),
        },
        ...(account === null ? [] : [{ term: text.account, value: <NamedInFull name={account_name} id={account} /> }]),
        ...(request_id === null ? [] : [{ term: text.request, value: <CopyText text={request_id} /> }]),
      ]}
    />
  );
}
