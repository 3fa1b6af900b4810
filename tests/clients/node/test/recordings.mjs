// Builds recordings to show to the validator.

const entry = (from, message) =>
  JSON.stringify({ from, line: typeof message === 'string' ? message : JSON.stringify(message) });

export const client = message => entry('client', message);
export const server = message => entry('server', message);
export const asks = (id, method, params = {}) => client({ jsonrpc: '2.0', id, method, params });
export const cancels = requestId => client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
export const answers = (id, result) => server({ jsonrpc: '2.0', id, result });
export const fails = (id, code = -32600, data = undefined) =>
  server({ jsonrpc: '2.0', id, error: { code, message: 'no', data } });
export const says = (method, params) => server({ jsonrpc: '2.0', method, params });
export const begin = (revision, more = {}) => [
  asks(0, 'initialize'),
  answers(0, { protocolVersion: revision, capabilities: {}, serverInfo: { name: 's', version: '1' }, ...more }),
];
