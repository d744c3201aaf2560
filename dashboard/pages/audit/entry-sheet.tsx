import type { AuditEntry } from '../../api/schema.ts';
import { Button } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { auditText } from '../../text/audit.ts';
import { useText } from '../../text/text.tsx';
import { actionName } from '../shared/audit/action-name.ts';
import { actorName } from '../shared/audit/actor-name.ts';
import { AuditDiff } from '../shared/audit/audit-diff.tsx';

interface EntrySheetProps {
  /** Undefined while closed. */
  readonly entry: AuditEntry | undefined;
  readonly onClose: () => void;
  readonly onFilter: (changes: { readonly actor?: string; readonly object?: string }) => void;
}

export function EntrySheet({ entry, onClose, onFilter }: EntrySheetProps) {
  const text = useText(auditText);
  return (
    <Sheet
      title={entry === undefined ? '' : actionName(entry, text)}
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
  const { actor, account, address, object_id, request_id } = entry;
  return (
    <Definitions
      items={[
        { term: text.time, value: format.exactTime(entry.at) },
        { term: text.action, value: <code className="font-mono text-sm">{entry.action}</code> },
        { term: text.actor, value: `${actorName(actor, text)} (${text.kinds[actor.kind]})` },
        ...(address === null ? [] : [{ term: text.address, value: <CopyText text={address} /> }]),
        { term: text.object, value: <CopyText text={object_id} /> },
        ...(account === null ? [] : [{ term: text.account, value: account }]),
        ...(request_id === null ? [] : [{ term: text.request, value: <CopyText text={request_id} /> }]),
      ]}
    />
  );
}
