import type { ChannelProbe } from '../../../api/schema.ts';
import { useFormat } from '../../../kit/format.tsx';
import { Notice } from '../../../kit/status.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';

/** What a test of a key has shown, in words. */
export function ProbeNotice({
  probe,
}: {
  readonly probe: Pick<ChannelProbe, 'ok' | 'error' | 'models' | 'listed' | 'latency_ms'>;
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
  const models = probe.listed ? text.reaches(probe.models.length) : text.catalogHas(probe.models.length);
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
