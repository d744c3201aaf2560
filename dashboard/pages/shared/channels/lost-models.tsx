import type { ChannelImpact } from '../../../api/schema.ts';
import { Notice } from '../../../kit/status.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';

/** The number of names that are listed. */
const NAMED_MODELS = 12;

/** Names the models that lose their last channel. */
export function LostModels({ impact }: { readonly impact: Pick<ChannelImpact, 'only_here' | 'only_here_count'> }) {
  const text = useText(channelsText);
  const { only_here: models, only_here_count: count } = impact;
  const named = models.slice(0, NAMED_MODELS);
  const rest = count - named.length;
  return (
    <Notice tone="warn" title={text.onlyHere(count)}>
      {named.join(', ')}
      {rest > 0 && ` ${text.andMore(rest)}`}
    </Notice>
  );
}
