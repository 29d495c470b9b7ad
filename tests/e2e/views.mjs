/* Checks views against their schemas, as the daemon publishes them in /openapi.json. */

import assert from 'node:assert/strict';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const SCHEMAS = { base: 'BaseView', data: 'DataView', chart: 'ChartView', error: 'ErrorView', selection: 'SelectionView' };

/* Resolves to a function that throws if a view does not match its documented schema. */
export async function viewChecker(d) {
  const doc = await (await fetch(`${d.url}/openapi.json`)).json();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'doc', ...doc });
  const any = ajv.compile({ $ref: 'doc#/components/schemas/View' });
  const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([type, name]) => [type, ajv.compile({ $ref: `doc#/components/schemas/${name}` })]));
  return (view) => {
    const validate = validators[view.view_type];
    assert.ok(validate, `unknown view type: ${view.view_type}`);
    assert.ok(validate(view), `${JSON.stringify(validate.errors?.slice(0, 3))} in ${JSON.stringify(view).slice(0, 600)}`);
    assert.ok(any(view), 'a view matches exactly one schema');
    return view;
  };
}
