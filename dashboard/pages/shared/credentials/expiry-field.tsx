import type { UseFormRegisterReturn } from 'react-hook-form';
import { Button } from '../../../kit/button.tsx';
import { DateTimeInput } from '../../../kit/date.tsx';
import { Field } from '../../../kit/field.tsx';
import { toLocalText } from '../../../kit/period.ts';
import { credentialsText } from '../../../text/credentials.ts';
import { useText } from '../../../text/text.tsx';

const DAY_MS = 86_400_000;
const PRESETS = ['7', '30', '90', '365'] as const;

interface ExpiryFieldProps {
  /** The registered field of the form. */
  readonly input: UseFormRegisterReturn;
  readonly error: string | undefined;
  /** Sets the field; the empty text is no expiry. */
  readonly onPick: (expires: string) => void;
}

/** A time, or one of the usual lifetimes from now. */
export function ExpiryField({ input, error, onPick }: ExpiryFieldProps) {
  const text = useText(credentialsText);
  const inDays = (days: string) => toLocalText(new Date(Date.now() + Number(days) * DAY_MS).toISOString());
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <Field label={text.expires} help={text.expiresHelp} error={error}>
        <DateTimeInput {...input} />
      </Field>
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">{text.expiresIn}</legend>
        {PRESETS.map((days) => (
          <Button key={days} size="small" onClick={() => onPick(inDays(days))}>
            {text.presets[days]}
          </Button>
        ))}
        <Button size="small" onClick={() => onPick('')}>
          {text.never}
        </Button>
      </fieldset>
    </div>
  );
}
