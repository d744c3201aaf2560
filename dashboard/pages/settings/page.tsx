import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import type { Settings, UpdateSettingsRequest } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { applyBrand } from '../../kit/brand.tsx';
import { TextInput } from '../../kit/field.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Badge, Empty, ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { settingHelp } from '../../text/setting-help.ts';
import { settingLabels } from '../../text/setting-labels.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { type RecentFactor, useRecentFactor } from '../shared/recent-factor.tsx';
import { ChangeSetting, SETTINGS_READS } from './change-setting.tsx';
import { Environment } from './environment.tsx';
import { changeOf, isKnown, type SettingField, type SettingSection, sectionsOf, storedValue } from './fields.ts';
import { SectionIndex } from './section-index.tsx';
import { SettingRow } from './setting-row.tsx';
import { TestMail } from './test-mail.tsx';

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

/** The id of the last group, which is no section of the configuration. */
const ENVIRONMENT = 'environment';

function Sections({ tagged: { value, etag }, query }: { readonly tagged: Tagged<Settings>; readonly query: string }) {
  const text = useText(settingsText);
  const labels = { ...text, fields: useText(settingLabels), help: useText(settingHelp) };
  const [changing, setChanging] = useState<SettingField | null>(null);
  const { values, set } = useSearchState(['section']);
  const factor = useRecentFactor();
  const takeBack = useTakeBack(etag, factor);
  const sections = sectionsOf(value, labels, query);
  const isSearching = query.trim() !== '';
  const entries = [
    ...sections.map((section) => ({ id: section.name, label: section.label, pending: pendingIn(section) })),
    ...(isSearching ? [] : [{ id: ENVIRONMENT, label: text.environment, pending: 0 }]),
  ];
  // Only a link to a group moves the page when it opens; later the index does.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once.
  useEffect(() => {
    if (values.section !== '') goTo(values.section);
  }, []);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[12rem_minmax(0,1fr)] xl:grid-cols-[13rem_minmax(0,1fr)]">
      <SectionIndex
        entries={entries}
        current={values.section}
        onGo={(id) => {
          set({ section: id });
          goTo(id);
        }}
      />
      <div className="flex min-w-0 flex-col gap-4">
        {value.restart_needed.length > 0 && (
          <Notice tone="warn" title={text.waiting(value.restart_needed.length)}>
            {text.waitingText}
          </Notice>
        )}
        {sections.length === 0 && (
          <Empty icon={SlidersHorizontal} title={text.noneSuch}>
            {text.noneSuchText}
          </Empty>
        )}
        {sections.map((section) => (
          <Group key={section.name} id={section.name} title={<SectionTitle section={section} />} help={section.help}>
            {section.name === 'mail' && (
              <TestMail mail={value.mail} hasPublicUrl={value.sections.server?.public_url?.value != null} />
            )}
            <ul>
              {section.fields.map((field) => (
                <SettingRow key={field.name} field={field} onChange={setChanging} onTakeBack={takeBack} />
              ))}
            </ul>
          </Group>
        ))}
        {!isSearching && (
          <Group id={ENVIRONMENT} title={text.environment} help={text.environmentText}>
            <Environment settings={value} />
          </Group>
        )}
        {factor.dialog}
        <ChangeSetting field={changing} etag={etag} onClose={() => setChanging(null)} />
      </div>
    </div>
  );
}

function goTo(id: string): void {
  const group = document.getElementById(`settings-${id}`);
  group?.scrollIntoView({ block: 'start' });
  group?.focus({ preventScroll: true });
}

interface GroupProps {
  readonly id: string;
  readonly title: ReactNode;
  readonly help: string;
  readonly children: ReactNode;
}

/** A group of the list, to which the index leads. */
function Group({ id, title, help, children }: GroupProps) {
  return (
    <div id={`settings-${id}`} tabIndex={-1} className="scroll-mt-18 rounded-lg outline-none">
      <Panel title={title} description={help}>
        {children}
      </Panel>
    </div>
  );
}

/** Resets a value that was set through the API, with an undo. */
function useTakeBack(etag: string | undefined, factor: RecentFactor): (field: SettingField) => void {
  const text = useText(settingsText);
  const toast = useToast();
  const update = useChange('updateSettings', {
    touches: [...SETTINGS_READS, 'listAudit'],
    onDone: ({ branding }) => applyBrand(branding),
  });
  const send = (field: SettingField, value: unknown, ifMatch?: string) => {
    const change = () => update.mutateAsync({ body: changeOf(field, value) as UpdateSettingsRequest, ifMatch });
    return field.setting.needs_second_factor ? factor.run(change) : change();
  };
  return (field) => {
    const { label, setting } = field;
    const before = storedValue(setting);
    const done = setting.applies_at_once === true ? text.takenBackNow(label) : text.takenBack(label);
    const undo = isKnown(field) ? { label: text.undo, run: () => send(field, before) } : undefined;
    void send(field, null, etag)
      .then(() => toast.done(done, undo))
      .catch(toast.failed);
  };
}

function pendingIn({ fields }: SettingSection): number {
  return fields.filter(({ setting }) => setting.after_restart !== undefined).length;
}

function SectionTitle({ section }: { readonly section: SettingSection }) {
  const text = useText(settingsText);
  const { label, fields, appliesAtOnce } = section;
  const waiting = pendingIn(section);
  const said = fields.filter(({ setting }) => setting.source !== 'default').length;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {label}
      {appliesAtOnce !== null && (
        <Badge tone={appliesAtOnce ? 'good' : 'neutral'}>
          {appliesAtOnce ? text.atOnceBadge : text.afterRestartBadge}
        </Badge>
      )}
      {said > 0 && <Badge>{text.setCount(said)}</Badge>}
      {waiting > 0 && <Badge tone="warn">{text.waitingCount(waiting)}</Badge>}
    </span>
  );
}
