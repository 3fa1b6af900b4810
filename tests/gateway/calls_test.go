//go:build npmserver && unix && !aix

package gateway

// call is one request to servers of a kind, by the server's own names; "<root>"
// stands for the folder of files.
type call struct {
	method, params string
	// reply is how the client answers what the server asks; "" is that it gives
	// what is asked for.
	reply string
	// volatile is a pattern of what is another each time, at least where both sides
	// are of the legacy era.
	volatile string
	// isLegacy says that it is for clients and servers of that era alone.
	isLegacy bool
}

// tool is a call of a tool with arguments.
func tool(name, arguments string) call {
	return call{method: "tools/call", params: `{"name":"` + name + `","arguments":` + arguments + `,"_meta":{"progressToken":"the client's own/1","example.com/kept":[1.0,"\u00e9"]}}`}
}

func prompt(name, arguments string) call {
	return call{method: "prompts/get", params: `{"name":"` + name + `","arguments":` + arguments + `}`}
}

func read(uri string) call { return call{method: "resources/read", params: `{"uri":"` + uri + `"}`} }

func completion(kind, of, name, value, context string) call {
	member := map[string]string{"prompt": "name", "resource": "uri"}[kind]
	return call{method: "completion/complete", params: `{"ref":{"type":"ref/` + kind + `","` + member + `":"` + of + `"},"argument":{"name":"` + name + `","value":"` + value + `"}` + context + `}`}
}

// answering gives the call with another way to answer questions.
func (c call) answering(reply string) call { c.reply = reply; return c }

// varying gives the call with what is another each time.
func (c call) varying(pattern string) call { c.volatile = pattern; return c }

// inLegacy gives the call for the legacy era alone.
func (c call) inLegacy() call { c.isLegacy = true; return c }

// calls are what each kind of server is asked, in this order. Every tool,
// prompt and template of the server is among it; all resources are read besides.
var calls = map[string][]call{
	"npm-everything": {
		tool("echo", `{"message":"a \"quoted\" text, \u00fcml\u00e4ut, \ud83d\ude00 and \u0000"}`),
		tool("echo", `{}`),
		tool("echo", `{"message":7}`),
		tool("get-annotated-message", `{"messageType":"error","includeImage":true}`),
		tool("get-annotated-message", `{"messageType":"debug"}`),
		tool("get-env", `{}`),
		tool("get-resource-links", `{"count":4}`),
		tool("get-resource-links", `{"count":400}`),
		tool("get-resource-reference", `{"resourceType":"Text","resourceId":3}`),
		tool("get-resource-reference", `{"resourceType":"Blob","resourceId":4}`),
		tool("get-structured-content", `{"location":"New York"}`),
		tool("get-structured-content", `{"location":"Nowhere"}`),
		tool("get-sum", `{"a":0.1,"b":1e21}`),
		tool("get-tiny-image", `{}`),
		tool("gzip-file-as-resource", `{"name":"a.txt.gz","data":"data:text/plain,some%20text","outputType":"resource"}`),
		tool("gzip-file-as-resource", `{"name":"b.txt.gz","data":"data:text/plain,other%20text","outputType":"resourceLink"}`),
		read("demo://resource/session/b.txt.gz"),
		tool("toggle-subscriber-updates", `{}`),
		tool("toggle-subscriber-updates", `{}`),
		tool("toggle-simulated-logging", `{}`).varying(`"level":"[a-z]+","data":"[^"]*"`),
		tool("toggle-simulated-logging", `{}`),
		tool("trigger-long-running-operation", `{"duration":0.5,"steps":5}`),
		tool("get-roots-list", `{}`).inLegacy(),
		tool("trigger-elicitation-request", `{}`),
		tool("trigger-elicitation-request", `{}`).answering("decline"),
		tool("trigger-elicitation-request", `{}`).answering("cancel"),
		tool("trigger-elicitation-request", `{}`).answering("error").inLegacy(),
		tool("trigger-url-elicitation", `{"url":"https://example.com/","elicitationId":"an-id"}`),
		tool("trigger-url-elicitation", `{"url":"https://example.com/","elicitationId":"an-id"}`).answering("decline"),
		tool("trigger-url-elicitation", `{"url":"https://example.com/","errorPath":true}`).varying(`[0-9a-f]{8}-[-0-9a-f]{27}`),
		tool("trigger-sampling-request", `{"prompt":"What is the capital of France?","maxTokens":20}`),
		tool("trigger-sampling-request", `{"prompt":"What is it?"}`).answering("error").inLegacy(),
		prompt("simple-prompt", `{}`),
		prompt("args-prompt", `{"city":"Paris","state":"France"}`),
		prompt("args-prompt", `{}`),
		prompt("completable-prompt", `{"department":"Sales","name":"Eve"}`),
		prompt("resource-prompt", `{"resourceType":"Text","resourceId":"2"}`),
		prompt("resource-prompt", `{"resourceType":"Blob","resourceId":"x"}`),
		completion("prompt", "completable-prompt", "department", "S", ""),
		completion("prompt", "completable-prompt", "name", "", `,"context":{"arguments":{"department":"Sales"}}`),
		completion("prompt", "resource-prompt", "resourceType", "", ""),
		completion("prompt", "resource-prompt", "resourceId", "12", ""),
		completion("prompt", "args-prompt", "city", "P", ""),
		completion("resource", "demo://resource/dynamic/text/{resourceId}", "resourceId", "12", ""),
		completion("resource", "demo://resource/dynamic/blob/{resourceId}", "resourceId", "no", ""),
		read("demo://resource/dynamic/text/12"),
		read("demo://resource/dynamic/blob/12"),
		read("demo://resource/dynamic/text/none"),
	},
	"npm-filesystem": files,
	"filesystem": append(files,
		tool("about_tsar-mcp", `{}`),
		tool("readTrace", `{"nLines":1}`),
	),
	"npm-memory": {
		tool("create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["likes \"numbers\"","\u00e9"]},{"name":"Bob","entityType":"person","observations":[]}]}`),
		tool("create_entities", `{"entities":[{"name":"Ada"}]}`),
		tool("create_relations", `{"relations":[{"from":"Ada","to":"Bob","relationType":"knows"}]}`),
		tool("add_observations", `{"observations":[{"entityName":"Bob","contents":["sleeps"]}]}`),
		tool("add_observations", `{"observations":[{"entityName":"Nobody","contents":["sleeps"]}]}`),
		tool("read_graph", `{}`),
		read("memory://knowledge-graph"),
		tool("search_nodes", `{"query":"numbers"}`),
		tool("open_nodes", `{"names":["Bob"]}`),
		tool("delete_observations", `{"deletions":[{"entityName":"Bob","observations":["sleeps"]}]}`),
		tool("delete_relations", `{"relations":[{"from":"Ada","to":"Bob","relationType":"knows"}]}`),
		tool("delete_entities", `{"entityNames":["Bob"]}`),
		tool("read_graph", `{}`),
	},
	"npm-thinking": {
		tool("sequentialthinking", `{"thought":"one","nextThoughtNeeded":true,"thoughtNumber":1,"totalThoughts":2}`),
		tool("sequentialthinking", `{"thought":"two","nextThoughtNeeded":"false","thoughtNumber":"3","totalThoughts":2,"branchFromThought":1,"branchId":"b"}`),
		tool("sequentialthinking", `{"thought":"three"}`),
	},
	"helloWorld": {
		tool("helloWorld", `{"name":"Ada \u2028 \"\ud83d\ude00\""}`),
		tool("helloWorld", `{}`),
		tool("helloWorld", `{"name":7}`),
		tool("about_tsar-mcp", `{}`),
		tool("readTrace", `{"nLines":1}`),
	},
	"wordArt": {
		tool("wordArt", `{"text":"Hi"}`),
		tool("wordArt", `{"text":"Hi","style":"none such"}`),
		tool("wordArt", `{"text":"Hi"}`).answering("error").inLegacy(),
		tool("about_tsar-mcp", `{}`),
		tool("readTrace", `{"nLines":1}`),
	},
	"setReminder": {
		tool("setReminder", `{"Reminder":"tea","TimeoutMS":86400000}`),
		tool("setReminder", `{"Reminder":"tea","TimeoutMS":-1}`),
		read("reminder:///1").varying(`\\"due\\":\\"[^"]*\\"`),
		read("reminder:///2"),
		completion("resource", "reminder:///{id}", "id", "", ""),
		tool("about_tsar-mcp", `{}`),
		tool("readTrace", `{"nLines":1}`),
	},
	"everything": {
		tool("test_simple_text", `{}`),
		tool("test_image_content", `{}`),
		tool("test_audio_content", `{}`),
		tool("test_embedded_resource", `{}`),
		tool("test_multiple_content_types", `{}`),
		tool("annotatedContent", `{}`),
		tool("test_error_handling", `{}`),
		tool("test_reconnection", `{}`),
		tool("weather", `{"city":"Paris","days":2}`),
		tool("weather", `{}`),
		tool("json_schema_2020_12_tool", `{"name":"Ada","contactMethod":"phone","phone":"1"}`),
		tool("test_x_mcp_header", `{"region":"west"}`),
		tool("test_tool_with_progress", `{}`),
		tool("longRunning", `{"seconds":0.2,"steps":3}`),
		tool("longRunning", `{"seconds":601}`),
		tool("answerLater", `{"seconds":0.05}`),
		tool("test_tool_with_logging", `{}`),
		tool("test_logging_tool", `{}`),
		tool("test_sampling", `{"prompt":"What is the capital of France?"}`),
		tool("test_sampling", `{"prompt":"What is it?"}`).answering("error").inLegacy(),
		tool("test_missing_capability", `{}`),
		tool("test_elicitation", `{"message":"Who are you?"}`),
		tool("test_elicitation", `{"message":"Who are you?"}`).answering("decline"),
		tool("test_streaming_elicitation", `{}`),
		tool("visitPage", `{}`).varying(`"elicitationId":"[A-Z0-9]{26}"`),
		tool("fillInForm", `{}`),
		tool("fillInForm", `{}`).answering("cancel"),
		tool("test_elicitation_sep1034_defaults", `{}`),
		tool("test_elicitation_sep1330_enums", `{}`),
		tool("test_input_required_result_elicitation", `{}`),
		tool("test_input_required_result_sampling", `{}`),
		tool("test_input_required_result_list_roots", `{}`),
		tool("test_input_required_result_request_state", `{}`),
		tool("test_input_required_result_tampered_state", `{}`),
		tool("test_input_required_result_multiple_inputs", `{}`),
		tool("test_input_required_result_multi_round", `{}`),
		tool("test_input_required_result_capabilities", `{}`),
		tool("test_trigger_tool_change", `{}`),
		tool("test_trigger_tool_change", `{}`),
		tool("test_trigger_prompt_change", `{}`),
		tool("test_trigger_prompt_change", `{}`),
		tool("toggleResource", `{}`),
		tool("toggleResource", `{}`),
		tool("about_tsar-mcp", `{}`),
		tool("readTrace", `{"nLines":1}`),
		tool("listPrompts", `{}`),
		tool("getPrompt", `{"name":"travel","arguments":{"country":"France"}}`),
		prompt("test_simple_prompt", `{}`),
		prompt("test_prompt_with_arguments", `{"arg1":"a","arg2":"b"}`),
		prompt("test_prompt_with_arguments", `{}`),
		prompt("test_prompt_with_embedded_resource", `{"resourceUri":"test://static-text"}`),
		prompt("test_prompt_with_embedded_resource", `{"resourceUri":"test://nobody-has-this"}`),
		prompt("test_prompt_with_image", `{}`),
		prompt("test_input_required_result_prompt", `{}`),
		prompt("travel", `{"country":"France","city":"Paris"}`),
		completion("prompt", "travel", "city", "", `,"context":{"arguments":{"country":"France"}}`),
		completion("prompt", "test_prompt_with_arguments", "arg1", "a", ""),
		completion("resource", "test://template/{id}/data", "id", "12", ""),
		completion("resource", "test://weather/{country}/{city}", "city", "", `,"context":{"arguments":{"country":"France"}}`),
		read("test://template/12/data"),
		read("test://weather/France/Paris"),
	},
}

// files are what servers of files are asked; before each call, the files are
// made anew.
var files = []call{
	tool("read_file", `{"path":"<root>/work/a.txt"}`),
	tool("read_text_file", `{"path":"<root>/work/sub/b.txt"}`),
	tool("read_text_file", `{"path":"<root>/work/a.txt","head":2}`),
	tool("read_text_file", `{"path":"<root>/work/none"}`),
	tool("read_text_file", `{"path":"/etc/hostname"}`),
	tool("read_text_file", `{}`),
	tool("read_media_file", `{"path":"<root>/work/picture.png"}`),
	tool("read_multiple_files", `{"paths":["<root>/work/a.txt","<root>/work/none"]}`),
	tool("write_file", `{"path":"<root>/work/new.txt","content":"new\n"}`),
	tool("edit_file", `{"path":"<root>/work/a.txt","edits":[{"oldText":"two","newText":"2"}]}`),
	tool("edit_file", `{"path":"<root>/work/a.txt","edits":[{"oldText":"nine","newText":"9"}],"dryRun":true}`),
	tool("create_directory", `{"path":"<root>/work/made"}`),
	tool("list_directory", `{"path":"<root>/work"}`),
	tool("list_directory_with_sizes", `{"path":"<root>/work","sortBy":"size"}`),
	tool("directory_tree", `{"path":"<root>"}`),
	tool("move_file", `{"source":"<root>/work/a.txt","destination":"<root>/work/moved.txt"}`),
	tool("search_files", `{"path":"<root>","pattern":"**/*.txt"}`),
	tool("get_file_info", `{"path":"<root>/still.txt"}`),
	tool("list_allowed_directories", `{}`),
}
