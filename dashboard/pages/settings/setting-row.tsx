import { Hourglass, Pencil, ShieldCheck, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { BrandLogo } from '../../kit/brand.tsx';
import { Button } from '../../kit/button.tsx';
import { Badge } from '../../kit/status.tsx';
import { secondFactorText } from '../../text/second-factor.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import { type Setting, type SettingField, storedValue } from './fields.ts';
import { SettingValue } from './setting-value.tsx';

interface SettingRowProps {
  readonly field: SettingField;
  readonly onChange: (field: SettingField) => void;
  readonly onTakeBack: (field: SettingField) => void;
}

/** One setting: what it is, its value, where that comes from, and a pending change. */
export function SettingRow({ field, onChange, onTakeBack }: SettingRowProps) {
  const text = useText(settingsText);
  const factorText = useText(secondFactorText);
  const { label, help, name, setting } = field;
  const isWaiting = setting.after_restart !== undefined;
  const isLogo = field.control.kind === 'logo' && setting.value !== null;
  return (
    <Row label={label} help={help} name={name}>
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-44">
          <p className="flex flex-wrap items-center gap-2">
            {isLogo && <BrandLogo className="h-8 max-w-40" />}
            <SettingValue field={field} value={setting.value} />
            {isWaiting && <Badge>{text.inUse}</Badge>}
            <SourceBadge setting={setting} />
          </p>
          {isWaiting && (
            <p className="mt-1 flex flex-wrap items-center gap-2 text-warn">
              <Hourglass aria-hidden className="size-3.5" />
              <SettingValue field={field} value={setting.after_restart} />
              <Badge tone="warn">{text.afterRestart}</Badge>
              {setting.after_restart === null && <span className="text-soft text-xs">{text.sources.default}</span>}
            </p>
          )}
          {setting.needs_second_factor && (
            <p className="mt-1 flex items-center gap-1 text-soft text-xs">
              <ShieldCheck aria-hidden className="size-3.5 shrink-0" />
              {factorText.needed}
            </p>
          )}
          {!setting.changeable && (
            <p className="mt-1 text-soft text-xs">{setting.source === 'file' ? text.inFile : text.onlyFile}</p>
          )}
        </div>
        {setting.changeable && (
          <div className="flex flex-wrap gap-2">
            {storedValue(setting) !== undefined && (
              <Button
                size="small"
                variant="quiet"
                icon={Undo2}
                aria-label={`${text.takeBack}: ${label}`}
                onClick={() => onTakeBack(field)}
              >
                {text.takeBack}
              </Button>
            )}
            <Button size="small" icon={Pencil} aria-label={`${text.change}: ${label}`} onClick={() => onChange(field)}>
              {text.change}
            </Button>
          </div>
        )}
      </div>
    </Row>
  );
}

interface RowProps {
  readonly label: ReactNode;
  readonly help: string;
  /** The name in the configuration file; absent if the label is that. */
  readonly name?: string;
  readonly children: ReactNode;
}

/** The name and the sentence of a setting, with its value beside them or, on a phone, below. */
export function Row({ label, help, name, children }: RowProps) {
  return (
    <li className="grid gap-x-6 gap-y-2 border-line border-b py-3 last:border-b-0 sm:grid-cols-2">
      <div className="min-w-0">
        <p className="break-words font-medium text-sm">{label}</p>
        {help !== '' && <p className="text-pretty text-soft text-sm">{help}</p>}
        {name !== undefined && <code className="break-all font-mono text-soft text-xs">{name}</code>}
      </div>
      <div className="min-w-0 text-sm">{children}</div>
    </li>
  );
}

/** Where the value in force comes from. */
function SourceBadge({ setting: { source, variables } }: { readonly setting: Setting }) {
  const text = useText(settingsText);
  const words = variables === undefined ? text.sources[source] : text.fromVariables(variables.join(', '));
  return (
    <span title={text.source} className="max-w-full">
      <span className="sr-only">{text.source}: </span>
      <Badge tone={source === 'api' ? 'accent' : 'neutral'}>{words}</Badge>
    </span>
  );
}
