import { Segmented } from '../../kit/choice.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { DeliveryTable } from './delivery-table.tsx';

const STATES = ['pending', 'delivered', 'failed'] as const;

/** The deliveries of the last 30 days, with their results. */
export function Deliveries() {
  const text = useText(alertsText);
  const { query } = useScope();
  const { values, set } = useSearchState(['state']);
  const state = STATES.find((one) => one === values.state);
  const options = [
    { value: 'all', label: text.allStates },
    ...STATES.map((value) => ({ value, label: text.deliveryStates[value] })),
  ];
  return (
    <div className="flex flex-col gap-3">
      <Segmented
        label={text.state}
        value={state ?? 'all'}
        onChange={(next) => set({ state: next === 'all' ? '' : next })}
        options={options}
      />
      <DeliveryTable query={{ ...query, ...(state && { state }) }} />
    </div>
  );
}
