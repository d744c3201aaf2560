import { useNavigate } from '@tanstack/react-router';
import { Ban, Eye, EyeOff, type LucideIcon, Pencil, ScrollText } from 'lucide-react';
import type { ManagedModel } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Menu } from '../../kit/menu.tsx';
import { Badge, type Tone } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { MODEL_READS } from './model-reads.ts';

export const STATUSES = ['public', 'hidden', 'hold'] as const;
type Status = ManagedModel['status'];

const TONES: Readonly<Record<Status, Tone>> = { public: 'good', hidden: 'neutral', hold: 'warn' };
const ICONS: Readonly<Record<Status, LucideIcon>> = { public: Eye, hidden: EyeOff, hold: Ban };

export function StatusBadge({ status }: { readonly status: Status }) {
  const text = useText(operatorModelsText);
  return (
    <span title={text.statusHelp[status]}>
      <Badge tone={TONES[status]}>{text.statuses[status]}</Badge>
    </span>
  );
}

/** The actions of a model in the list. A change of the status takes effect at once, with an undo. */
export function ModelMenu({ model }: { readonly model: ManagedModel }) {
  const text = useText(operatorModelsText);
  const { set } = useSearchState(['id', 'edit']);
  const navigate = useNavigate();
  const setStatus = useStatusChange(model);
  const { id, status } = model;
  const fixed = { isDisabled: model.managed_by === 'file', why: text.inFile };
  const others = STATUSES.filter((one) => one !== status);
  return (
    <span className="above-row inline-block">
      <Menu
        label={text.actionsFor(id)}
        items={[
          { label: text.edit, icon: Pencil, onSelect: () => set({ id, edit: '1' }, false), ...fixed },
          ...others.map((next) => ({
            ...{ label: text.setStatus[next], icon: ICONS[next], ...fixed },
            onSelect: () => void setStatus(next),
          })),
          {
            label: text.itsRequests,
            icon: ScrollText,
            onSelect: () => void navigate({ to: '/app/operator/requests', search: { model: id } as never }),
          },
        ]}
      />
    </span>
  );
}

function useStatusChange({ id, status }: ManagedModel): (next: Status) => Promise<void> {
  const text = useText(operatorModelsText);
  const toast = useToast();
  const update = useChange('updateModel', { touches: MODEL_READS });
  const send = (next: Status) => update.mutateAsync({ params: { id }, body: { status: next } });
  return async (next) => {
    try {
      await send(next);
      toast.done(text.statusChanged(id, text.statuses[next]), { label: text.undo, run: () => send(status) });
    } catch (error) {
      toast.failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
}
