import { defineText } from './text.tsx';

/** The details of a customer on statements. */
export const billingDetailsText = defineText({
  en: {
    title: 'Billing details',
    about: 'Printed on statements.',
    name: 'Legal name',
    address: 'Address',
    addressHelp: 'Up to 6 lines.',
    taxId: 'Tax ID',
    taxIdHelp: 'e.g. a VAT number.',
    email: 'Billing email',
    none: 'Not set',
    ownersOnly: 'Only owners can change this.',
    save: 'Save',
    saved: 'Billing details saved',
  },
  zh: {
    title: '账单信息',
    about: '会打印在对账单上。',
    name: '法定名称',
    address: '地址',
    addressHelp: '最多 6 行。',
    taxId: '税号',
    taxIdHelp: '例如增值税号。',
    email: '账单邮箱',
    none: '未设置',
    ownersOnly: '只有所有者可以更改。',
    save: '保存',
    saved: '账单信息已保存',
  },
});
