import { Send } from 'lucide-react';
import type { Settings } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { useFormat } from '../../kit/format.tsx';
import { ErrorBox, Notice } from '../../kit/status.tsx';
import { useSession } from '../../shell/session.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';

interface TestMailProps extends Pick<Settings, 'mail'> {
  /** Whether the gateway knows its own address, without which it sends no links. */
  readonly hasPublicUrl: boolean;
}

/** Sends an email to the reader's own address, and shows what the mail server said. */
export function TestMail({ mail, hasPublicUrl }: TestMailProps) {
  const text = useText(settingsText);
  const format = useFormat();
  const { me } = useSession();
  const test = useChange('sendTestMail', { touches: ['listAudit'] });
  if (mail === null) return <Notice tone="neutral">{text.noMailServer}</Notice>;
  const { data: result } = test;
  const problem = result?.problem ?? null;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button icon={Send} isBusy={test.isPending} onClick={() => test.mutate({})}>
          {text.testMail}
        </Button>
        <p className="min-w-0 break-words text-soft text-sm">
          {(mail.pending ? text.testMailPending : text.testMailAbout)(me.email)}
        </p>
      </div>
      {!hasPublicUrl && <Notice tone="warn">{text.noPublicUrl}</Notice>}
      {test.error && <ErrorBox error={test.error} />}
      {result?.sent === true && (
        <Notice tone="good" isLive>
          {text.testSent(result.to, format.duration(result.duration_ms))}
        </Notice>
      )}
      {problem !== null && (
        <Notice tone="bad" title={text.testFailed[problem.kind]} isLive>
          {problem.server_said !== null && (
            <>
              <p>{text.serverSaid}:</p>
              <code className="break-words font-mono text-xs">{problem.server_said}</code>
            </>
          )}
        </Notice>
      )}
    </div>
  );
}
