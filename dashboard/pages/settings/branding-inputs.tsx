import { useState } from 'react';
import { Field, TextInput } from '../../kit/field.tsx';
import { FileInput } from '../../kit/file-input.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import type { SettingValues } from './fields.ts';
import { useAmount } from './setting-value.tsx';

/** The limits of the gateway, which checks the file itself. */
const LARGEST_LOGO_KB = 64;
const LOGO_TYPES = 'image/png,image/webp';

interface InputProps {
  readonly form: ApiForm<SettingValues>;
}

/** Takes an image file, which is sent as a `data:` URL. */
export function LogoInput({ form }: InputProps) {
  const text = useText(settingsText);
  const amount = useAmount();
  const [problem, setProblem] = useState<string>();
  // So that the gateway's error is shown here.
  form.register('value');
  const url = form.watch('value');
  const take = async ([file]: File[]) => {
    if (file === undefined) return;
    const isTooLarge = file.size > LARGEST_LOGO_KB * 1024;
    setProblem(isTooLarge ? text.logoTooLarge(amount(LARGEST_LOGO_KB, 'kb')) : undefined);
    form.clearErrors('value');
    form.setValue('value', isTooLarge ? '' : await dataUrlOf(file));
  };
  return (
    <>
      <Field label={text.logoFile} error={problem ?? form.errorOf('value')}>
        <FileInput accept={LOGO_TYPES} onFiles={(files) => void take(files)} />
      </Field>
      {url !== '' && (
        <figure className="flex flex-wrap items-center gap-3">
          <figcaption className="text-sm">{text.logoPreview}</figcaption>
          {['light', 'dark'].map((theme) => (
            <span
              key={theme}
              className={
                theme === 'light'
                  ? 'rounded-md border border-strong-line bg-[#ffffff] p-2'
                  : 'rounded-md border border-strong-line bg-[#171d25] p-2'
              }
            >
              <img src={url} alt="" className="h-9 w-auto max-w-40 object-contain" />
            </span>
          ))}
        </figure>
      )}
    </>
  );
}

function dataUrlOf(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  return promise;
}

/** A color as text, or from the browser's picker. */
export function ColorInput({ form }: InputProps) {
  const text = useText(settingsText);
  const value = form.watch('value');
  return (
    <div className="flex items-end gap-2">
      <Field label={text.value} error={form.errorOf('value')} className="flex-1">
        <TextInput isCode placeholder="#0f5fb8" maxLength={7} {...form.register('value')} />
      </Field>
      <input
        type="color"
        aria-label={text.pickColor}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : '#0f5fb8'}
        onChange={(event) => form.setValue('value', event.currentTarget.value)}
        className="h-8 w-12 shrink-0 cursor-pointer rounded-md border border-strong-line bg-panel p-0.5"
      />
    </div>
  );
}
