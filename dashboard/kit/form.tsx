import { type BaseSyntheticEvent, type ReactNode, useState } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  get,
  type Path,
  type UseFormProps,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { ApiError } from '../api/client.ts';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button } from './button.tsx';
import { firstMessage, placeOfParam, problemsOf } from './form-errors.ts';
import { ErrorBox } from './status.tsx';

export interface ApiFormOptions<Values extends FieldValues> extends Omit<UseFormProps<Values>, 'defaultValues'> {
  readonly defaultValues: DefaultValues<Values>;
  /** Sends the values; what it throws is shown at the field that it names, or above the buttons. */
  readonly send: (values: Values) => Promise<unknown>;
  /** The field of a member of the body that has another name: `{ 'limits.usd': 'limit' }`. */
  readonly fieldOf?: Readonly<Record<string, Path<Values>>>;
}

export interface ApiForm<Values extends FieldValues> extends UseFormReturn<Values> {
  readonly submit: (event?: BaseSyntheticEvent) => void;
  readonly isBusy: boolean;
  /** What belongs to no field. */
  readonly formError: Error | undefined;
  /** Shows what another request than the form's own was refused for at its fields; false where there is more to be told than they can. */
  showAtField(error: unknown): boolean;
  /** What is wrong with a field, or with something within it. */
  errorOf(name: Path<Values>): string | undefined;
}

/** A form whose refusals by the gateway stand beside the field that they are about. */
export function useApiForm<Values extends FieldValues>(options: ApiFormOptions<Values>): ApiForm<Values> {
  const { send, fieldOf = {}, ...rest } = options;
  const form = useForm<Values>(rest);
  const [formError, setFormError] = useState<Error>();
  const showAtField = (error: unknown) => {
    if (!(error instanceof ApiError)) return false;
    const places = problemsOf(error).map(({ param, message }) => {
      const place = placeOfParam(param, form.control._names.mount, fieldOf);
      return place && { field: place.field, message: place.within === '' ? message : `${place.within}: ${message}` };
    });
    for (const place of places.toReversed()) {
      if (place) form.setError(place.field as Path<Values>, { type: 'gateway', ...place }, { shouldFocus: true });
    }
    return places.every((place) => place !== undefined) && error.hint === null;
  };
  const submit = (event?: BaseSyntheticEvent) => {
    // React carries events through portals: a form in a dialog would submit the one around it, too.
    event?.stopPropagation();
    event?.preventDefault();
    if (form.formState.isSubmitting) return;
    form.clearErrors();
    setFormError(undefined);
    void form.handleSubmit(async (values) => {
      try {
        await send(values);
      } catch (error) {
        if (!showAtField(error)) setFormError(error instanceof Error ? error : new Error(String(error)));
      }
    })(event);
  };
  const { errors, isSubmitting } = form.formState;
  return {
    ...form,
    submit,
    isBusy: isSubmitting,
    formError,
    showAtField,
    errorOf: (name) => firstMessage(get(errors, name)),
  };
}

export interface FormProps<Values extends FieldValues> {
  readonly form: ApiForm<Values>;
  /** For a button outside, such as a dialog's: `<Button type="submit" form={id}>`. */
  readonly id?: string;
  readonly children: ReactNode;
}

export function Form<Values extends FieldValues>({ form, id, children }: FormProps<Values>) {
  return (
    <form id={id} noValidate onSubmit={form.submit} className="flex flex-col gap-4">
      {children}
    </form>
  );
}

/** What the gateway says of the whole form. Stands above its buttons. */
export function FormError({ error }: { readonly error: Error | undefined }) {
  return error && <ErrorBox error={error} />;
}

export interface FormActionsProps {
  /** What the button does: “Create key”. */
  readonly submitLabel: string;
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onCancel?: () => void;
  /** The id of the form, for buttons outside it. */
  readonly form?: string;
  /** More buttons, on the left. */
  readonly children?: ReactNode;
}

/** The buttons of a form: at its end, or as the `footer` of its dialog. */
export function FormActions(props: FormActionsProps) {
  const { submitLabel, isBusy, isDanger = false, isDisabled = false, onCancel, form, children } = props;
  const text = useText(kitText);
  return (
    <div className="flex w-full flex-wrap items-center justify-end gap-2">
      {children !== undefined && <div className="mr-auto flex flex-wrap gap-2">{children}</div>}
      {onCancel && (
        <Button onClick={onCancel} disabled={isBusy}>
          {text.cancel}
        </Button>
      )}
      <Button
        type="submit"
        variant={isDanger ? 'danger' : 'primary'}
        form={form}
        isBusy={isBusy}
        disabled={isDisabled && !isBusy}
      >
        {submitLabel}
      </Button>
    </div>
  );
}
