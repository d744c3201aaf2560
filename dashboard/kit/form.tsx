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
  /** Sends the values; errors are shown at the field that they name, or above the buttons. */
  readonly send: (values: Values) => Promise<unknown>;
  /** Fields whose names differ from the body's members: `{ 'limits.usd': 'limit' }`. */
  readonly fieldOf?: Readonly<Record<string, Path<Values>>>;
}

export interface ApiForm<Values extends FieldValues> extends UseFormReturn<Values> {
  readonly submit: (event?: BaseSyntheticEvent) => void;
  readonly isBusy: boolean;
  /** An error that belongs to no field. */
  readonly formError: Error | undefined;
  /** Shows another request's refusal at the form's fields; returns false if the fields cannot show all of it. */
  showAtField(error: unknown): boolean;
  /** Returns the error of a field, or of something within it. */
  errorOf(name: Path<Values>): string | undefined;
}

/** Returns a form that shows the gateway's refusals beside the fields concerned. */
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
    // React propagates events through portals: a form in a dialog would also submit the one around it.
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

interface FormErrorProps {
  readonly error: Error | undefined;
  /** Whether the message says enough, so that the code and the request id are left out. */
  readonly isPlain?: boolean;
}

/** The gateway's error about the whole form, shown above its buttons. */
export function FormError({ error, isPlain }: FormErrorProps) {
  return error && <ErrorBox error={error} isPlain={isPlain} />;
}

export interface FormActionsProps {
  /** The action: “Create key”. */
  readonly submitLabel: string;
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onCancel?: () => void;
  /** The form's id, for buttons outside of it. */
  readonly form?: string;
  /** Further buttons, on the left. */
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
