import type { ChannelProbe } from '../../../api/schema.ts';
import { useFormat } from '../../../kit/format.tsx';
import { Notice } from '../../../kit/status.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';

/** The result of a key's test. */
export function ProbeNotice({
  probe,
}: {
  readonly probe: Pick<ChannelProbe, 'ok' | 'error' | 'models' | 'models_cut' | 'listed' | 'latency_ms'>;
}) {
  const text = useText(channelFormText);
  const format = useFormat();
  if (probe.error)
    return (
      <Notice tone="bad" title={text.keyFails} isLive>
        <p>{probe.error.hint}</p>
        <p className="mt-1 text-soft">{probe.error.message}</p>
      </Notice>
    );
  const count = probe.models.length;
  const listed = probe.models_cut ? text.reachesMore(count) : text.reaches(count);
  const models = probe.listed ? listed : text.catalogHas(count);
  if (probe.ok === null)
    return (
      <Notice tone="neutral" title={text.keyUntested} isLive>
        {models}
      </Notice>
    );
  return (
    <Notice tone="good" title={text.keyWorks(format.duration(probe.latency_ms))} isLive>
      {models}
    </Notice>
  );
}
