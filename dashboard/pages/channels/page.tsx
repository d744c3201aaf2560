import { Segmented } from '../../kit/choice.tsx';
import { useSearchState } from '../../shell/search.ts';
import { channelsText } from '../../text/channels.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { ChannelsView } from '../shared/channels/channels-view.tsx';

/** All channels of the gateway, for its operators. */
export function Page() {
  const shell = useText(shellText);
  const text = useText(channelsText);
  const { values, set } = useSearchState(['scope']);
  const kind = values.scope === 'private' ? 'private' : 'platform';
  return (
    <ChannelsView
      title={shell.pages.channels}
      about={kind === 'private' ? text.privateAbout : text.platformAbout}
      kind={kind}
      empty={{ title: text.emptyTitle, about: kind === 'private' ? text.emptyPrivate : text.emptyAbout }}
      filter={
        <Segmented
          label={text.kind}
          value={kind}
          onChange={(scope) => set({ scope: scope === 'platform' ? '' : scope })}
          options={[
            { value: 'platform', label: text.platformKind },
            { value: 'private', label: text.privateKind },
          ]}
        />
      }
    />
  );
}
