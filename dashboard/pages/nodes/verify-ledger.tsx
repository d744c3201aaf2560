import { useState } from 'react';
import type { LedgerReport } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { ErrorBox, Notice } from '../../kit/status.tsx';
import { nodesText } from '../../text/nodes.ts';
import { useText } from '../../text/text.tsx';

interface Checked {
  readonly at: string;
  readonly report: LedgerReport;
}

export function VerifyLedger() {
  const text = useText(nodesText);
  const [checked, setChecked] = useState<Checked | null>(null);
  // A mutation although it changes nothing: it is expensive for the gateway, so it runs only on request.
  const verify = useChange('verifyLedger', {
    onDone: (report) => setChecked({ at: new Date().toISOString(), report }),
  });
  return (
    <Panel
      title={text.ledger}
      description={text.ledgerText}
      actions={
        <Button isBusy={verify.isPending} onClick={() => verify.mutate({})}>
          {text.verify}
        </Button>
      }
    >
      {verify.error && <ErrorBox error={verify.error} />}
      {checked && <Report checked={checked} />}
    </Panel>
  );
}

function Report({ checked: { at, report } }: { readonly checked: Checked }) {
  const text = useText(nodesText);
  const format = useFormat();
  return (
    <div className="flex flex-col gap-3">
      {report.ok ? (
        <Notice tone="good" title={text.right} isLive />
      ) : (
        <Notice tone="bad" title={text.wrong(report.problems.length)} isLive>
          <ul className="list-disc pl-4">
            {report.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Definitions
        items={[
          { term: text.checkedAt, value: <Time at={at} /> },
          { term: text.accounts, value: format.number(report.accounts) },
          { term: text.entries, value: format.number(report.entries) },
          { term: text.charges, value: format.number(report.charges) },
          ...(report.archived > 0 ? [{ term: text.archived, value: format.number(report.archived) }] : []),
        ]}
      />
    </div>
  );
}
