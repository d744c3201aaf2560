import { ScrollText } from 'lucide-react';
import type { Input } from '../../../api/client.ts';
import { useList } from '../../../api/use-api.ts';
import { Button } from '../../../kit/button.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Time } from '../../../kit/format.tsx';
import { Empty, ErrorBox, Loading } from '../../../kit/status.tsx';
import { auditText } from '../../../text/audit.ts';
import { auditSentences } from '../../../text/audit-sentences.ts';
import { useText } from '../../../text/text.tsx';
import { AuditDiff } from './audit-diff.tsx';
import { auditSentence } from './audit-sentence.ts';

interface AuditListProps {
  /** The filter, such as the account, or one object of it. */
  readonly query: NonNullable<Input<'listAudit'>['query']>;
}

const AT_ONCE = 20;

/** The latest changes with their previous values, within a page about something else. */
export function AuditList({ query }: AuditListProps) {
  const text = useText(auditText);
  const sentences = useText(auditSentences);
  const listed = useList('listAudit', { query }, { limit: AT_ONCE });
  if (listed.error) return <ErrorBox error={listed.error} onRetry={listed.refetch} />;
  if (listed.isLoading) return <Loading />;
  if (listed.items.length === 0)
    return (
      <Empty icon={ScrollText} title={text.none}>
        {text.noneText}
      </Empty>
    );
  return (
    <div className="flex flex-col gap-1">
      {listed.items.map((entry) => (
        <Disclosure
          key={entry.id}
          title={
            <span className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 max-sm:py-1">
              <span className="break-words" title={entry.action}>
                {auditSentence(entry, text, sentences)}
              </span>
              <span className="font-normal text-soft">
                <Time at={entry.at} isRelative />
              </span>
            </span>
          }
        >
          <AuditDiff entry={entry} />
        </Disclosure>
      ))}
      {listed.hasMore && (
        <Button size="small" className="self-start" isBusy={listed.isLoadingMore} onClick={listed.loadMore}>
          {text.more}
        </Button>
      )}
    </div>
  );
}
