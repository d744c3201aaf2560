import { useApi } from '../../api/use-api.ts';
import { TextLink } from '../../kit/button.tsx';
import { Time } from '../../kit/format.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Badge, Dot, ErrorBox, Skeleton } from '../../kit/status.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';

/** The processes that are running. */
export function NodesPanel() {
  const text = useText(usageText);
  const titles = useText(shellText).pages;
  const { data, error, refetch } = useApi('getSystem', {}, { every: 15_000 });
  return (
    <Panel title={text.nodes} actions={<TextLink to="/app/operator/nodes">{titles.nodes}</TextLink>}>
      {error && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton className="h-16 w-full" />}
      <ul className="flex flex-col gap-2 text-sm">
        {data?.nodes.map(({ id, host, version, last_seen_at: seen, answers_this: isThis, is_current: isCurrent }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Dot tone={isCurrent ? 'good' : 'neutral'}>
              <span className="break-all">{host}</span>
            </Dot>
            <span className="text-soft">{version}</span>
            {isThis && <Badge tone="accent">{text.answersThis}</Badge>}
            <span className="ml-auto text-soft">
              {text.nodeSeen} <Time at={seen} isRelative />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
