import { useState } from 'react';
import { useChange, useWhole } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Combobox, Select } from '../../kit/select.tsx';
import { ErrorBox } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { routingText } from '../../text/routing.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { AccountPicker } from '../shared/account-picker.tsx';
import { type Asked, bodyOf, ENDPOINTS, type Endpoint, headersOf, NOTHING_ASKED } from './asked.ts';
import { Explained } from './explained.tsx';

/** A dry run of a request: which model and channels it would get, and why. */
export function Page() {
  const text = useText(routingText);
  const pages = useText(shellText).pages;
  const { accountId } = useScope();
  const { values } = useSearchState(['model']);
  const [account, setAccount] = useState<string>();
  const [asked, setAsked] = useState<Asked>({ ...NOTHING_ASKED, model: values.model });
  const explain = useChange('explainRouting');
  const body = bodyOf(asked);
  const chosen = accountId ?? account;
  const run = () => {
    if (body === null || chosen === undefined) return;
    const { key, at } = asked;
    explain.mutate({
      query: { account_id: chosen },
      body: {
        ...{ endpoint: ENDPOINTS[asked.endpoint].path(asked.model), body, headers: headersOf(asked) },
        ...(key.trim() !== '' && { key_id: key.trim() }),
        ...(at.trim() !== '' && { at: at.trim() }),
      },
    });
  };
  return (
    <>
      <PageHeader title={pages.routing} description={text.about} />
      <div className="flex flex-col gap-4">
        <Panel>
          <AskedForm
            asked={asked}
            onChange={(next) => setAsked({ ...asked, ...next })}
            account={account}
            onAccount={setAccount}
            isBusy={explain.isPending}
            onSubmit={chosen === undefined || body === null ? null : run}
          />
        </Panel>
        {explain.error && <ErrorBox error={explain.error} />}
        {explain.data && !explain.isPending && <Explained explanation={explain.data} />}
      </div>
    </>
  );
}

interface AskedFormProps extends Omit<MoreProps, 'hasProblem'> {
  readonly account: string | undefined;
  readonly onAccount: (account: string | undefined) => void;
  readonly isBusy: boolean;
  /** `null` while something is missing. */
  readonly onSubmit: (() => void) | null;
}

function AskedForm({ asked, onChange, account, onAccount, isBusy, onSubmit }: AskedFormProps) {
  const text = useText(routingText);
  const { accountId } = useScope();
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {accountId === null && (
          <Field label={text.account} isRequired>
            <AccountPicker value={account} onChange={onAccount} />
          </Field>
        )}
        <Field label={text.endpoint}>
          <Select<Endpoint>
            value={asked.endpoint}
            onChange={(endpoint) => onChange({ endpoint })}
            options={(Object.keys(ENDPOINTS) as Endpoint[]).map((value) => ({ value, label: value }))}
          />
        </Field>
        <ModelField model={asked.model} onChange={(model) => onChange({ model })} />
      </div>
      <Field label={text.prompt} help={text.promptHelp}>
        <TextArea rows={3} value={asked.prompt} onChange={(event) => onChange({ prompt: event.currentTarget.value })} />
      </Field>
      <More asked={asked} onChange={onChange} hasProblem={bodyOf(asked) === null} />
      <Button variant="primary" type="submit" className="self-start" isBusy={isBusy} disabled={onSubmit === null}>
        {text.explain}
      </Button>
    </form>
  );
}

interface ModelFieldProps {
  readonly model: string;
  readonly onChange: (model: string) => void;
}

function ModelField({ model, onChange }: ModelFieldProps) {
  const text = useText(routingText);
  const { query } = useScope();
  const models = useWhole('listManagedModels', { query });
  return (
    <Field label={text.model}>
      <Combobox
        value={model === '' ? undefined : model}
        onChange={(next) => onChange(next ?? '')}
        options={(models.data ?? []).map(({ id }) => ({ value: id, label: id }))}
        isFree
      />
    </Field>
  );
}

interface MoreProps {
  readonly asked: Asked;
  readonly onChange: (next: Partial<Asked>) => void;
  readonly hasProblem: boolean;
}

/** The whole body, headers and other facts that rules compare. */
function More({ asked, onChange, hasProblem }: MoreProps) {
  const text = useText(routingText);
  return (
    <Disclosure title={text.more} mustShow={hasProblem}>
      <div className="flex flex-col gap-4">
        <Field label={text.body} help={text.bodyHelp} error={hasProblem ? text.noJson : undefined}>
          <TextArea
            isCode
            rows={6}
            value={asked.body}
            onChange={(event) => onChange({ body: event.currentTarget.value })}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          {(['tags', 'session', 'key', 'at'] as const).map((name) => (
            <Field key={name} label={text[name]} help={text[`${name}Help`]}>
              <TextInput
                isCode
                value={asked[name]}
                onChange={(event) => onChange({ [name]: event.currentTarget.value })}
              />
            </Field>
          ))}
        </div>
      </div>
    </Disclosure>
  );
}
