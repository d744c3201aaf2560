import type { ReactNode } from 'react';
import { PageHeader } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { alertsText } from '../../text/alerts.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { Active } from './active.tsx';
import { Budgets } from './budgets.tsx';
import { Deliveries } from './deliveries.tsx';
import { Events } from './events.tsx';
import { Rules } from './rules.tsx';
import { Targets } from './targets.tsx';

const PARTS = {
  active: <Active />,
  rules: <Rules />,
  targets: <Targets />,
  events: <Events />,
  deliveries: <Deliveries />,
  budgets: <Budgets />,
} satisfies Record<string, ReactNode>;
type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Part[];

export function Page() {
  const text = useText(alertsText);
  const titles = useText(shellText).pages;
  const { accountId } = useScope();
  const { values, set } = useSearchState(['tab', 'id', 'state']);
  // Budgets belong to one account.
  const names = NAMES.filter((name) => accountId !== null || name !== 'budgets');
  const tab = names.find((name) => name === values.tab) ?? 'active';
  return (
    <>
      <PageHeader title={titles.alerts} description={text.about} />
      <Tabs<Part>
        label={text.tabsLabel}
        value={tab}
        onChange={(next) => set({ tab: next === 'active' ? '' : next, id: '', state: '' })}
        tabs={names.map((value) => ({ value, label: text.tabs[value], content: PARTS[value] }))}
      />
    </>
  );
}
