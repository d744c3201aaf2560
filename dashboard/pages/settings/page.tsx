import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import type { Settings, UpdateSettingsRequest } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { TextInput } from '../../kit/field.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { Badge, Empty, ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { type RecentFactor, useRecentFactor } from '../shared/recent-factor.tsx';
import { ChangeSetting, SETTINGS_READS } from './change-setting.tsx';
import { changeOf, type SettingField, type SettingSection, sectionsOf, storedValue } from './fields.ts';
import { SettingRow } from './setting-row.tsx';

export function Page() {
  const text = useText(settingsText);
  const pages = useText(shellText).pages;
  const { values, set } = useSearchState(['q']);
  const settings = useTagged('getSettings');
  return (
    <>
      <PageHeader title={pages.settings} description={text.about} />
      <search className="mb-4 block max-w-md">
        <TextInput
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={values.q}
          onChange={(event) => set({ q: event.currentTarget.value })}
        />
      </search>
      {settings.error && <ErrorBox error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Loading />}
      {settings.data && <Sections tagged={settings.data} query={values.q} />}
    </>
  );
}

function Sections({ tagged: { value, etag }, query }: { readonly tagged: Tagged<Settings>; readonly query: string }) {
  const text = useText(settingsText);
  const [changing, setChanging] = useState<SettingField | null>(null);
  const factor = useRecentFactor();
  const takeBack = useTakeBack(etag, factor);
  const sections = sectionsOf(value, text, query);
  const isSearching = query.trim() !== '';
  return (
    <div className="flex flex-col gap-4">
      {value.restart_needed.length > 0 && <Notice tone="warn">{text.waiting(value.restart_needed.length)}</Notice>}
      {sections.length === 0 && (
        <Empty icon={SlidersHorizontal} title={text.noneSuch}>
          {text.noneSuchText}
        </Empty>
      )}
      {sections.map((section) => (
        <Panel key={`${section.name} ${isSearching}`}>
          <Disclosure isOpenAtFirst={isSearching} title={<SectionTitle section={section} />}>
            <ul>
              {section.fields.map((field) => (
                <SettingRow key={field.name} field={field} onChange={setChanging} onTakeBack={takeBack} />
              ))}
            </ul>
          </Disclosure>
        </Panel>
      ))}
      {!isSearching && <Sources settings={value} />}
      {factor.dialog}
      <ChangeSetting field={changing} etag={etag} onClose={() => setChanging(null)} />
    </div>
  );
}

/** Resets a value that was set through the API, with an undo. */
function useTakeBack(etag: string | undefined, factor: RecentFactor): (field: SettingField) => void {
  const text = useText(settingsText);
  const toast = useToast();
  const update = useChange('updateSettings', { touches: [...SETTINGS_READS, 'listAudit'] });
  const send = (field: SettingField, value: unknown, ifMatch?: string) => {
    const change = () => update.mutateAsync({ body: changeOf(field, value) as UpdateSettingsRequest, ifMatch });
    return field.setting.needs_second_factor ? factor.run(change) : change();
  };
  return (field) => {
    const before = storedValue(field.setting);
    void send(field, null, etag)
      .then(() => toast.done(text.takenBack(field.label), { label: text.undo, run: () => send(field, before) }))
      .catch(toast.failed);
  };
}

function SectionTitle({ section: { label, name, fields } }: { readonly section: SettingSection }) {
  const text = useText(settingsText);
  const waiting = fields.filter(({ setting }) => setting.after_restart !== undefined).length;
  const said = fields.filter(({ setting }) => setting.source !== 'default').length;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {label}
      {label !== name && <code className="font-mono font-normal text-soft text-xs">{name}</code>}
      {said > 0 && <Badge>{text.setCount(said)}</Badge>}
      {waiting > 0 && <Badge tone="warn">{text.waitingCount(waiting)}</Badge>}
    </span>
  );
}

function Sources({ settings: { file, environment } }: { readonly settings: Settings }) {
  const text = useText(settingsText);
  const variables = Object.entries(environment);
  return (
    <Panel title={text.environment} description={text.environmentText}>
      <Definitions
        items={[
          { term: text.file, value: file === null ? text.noFile : <code className="break-all font-mono">{file}</code> },
          ...variables.map(([name, value]) => ({
            term: <code className="break-all font-mono text-xs">{name}</code>,
            value: <span className="[overflow-wrap:anywhere]">{value}</span>,
          })),
        ]}
      />
    </Panel>
  );
}
