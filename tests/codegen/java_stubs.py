"""Classes with the names and methods of the AWS SDK for Java that generated code uses, made from the service's model.

Their clients send nothing: they print the request as JSON. What the SDK itself does is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from botocore.model import ListShape, MapShape, Shape, StructureShape
from botocore.session import Session

_PACKAGE = "software/amazon/awssdk"
_TYPES = {"integer": "Integer", "long": "Long", "boolean": "Boolean"}

_SDK_BYTES = """package software.amazon.awssdk.core;
public final class SdkBytes {
    private final byte[] data;
    private SdkBytes(byte[] data) { this.data = data; }
    public static SdkBytes fromByteArray(byte[] data) { return new SdkBytes(data); }
    @Override public String toString() { return java.util.Base64.getEncoder().encodeToString(data); }
}
"""
_REGION = """package software.amazon.awssdk.regions;
public final class Region {
    private final String name;
    private Region(String name) { this.name = name; }
    public static Region of(String name) { return new Region(name); }
    @Override public String toString() { return name; }
}
"""
_SHOWN = """package software.amazon.awssdk.services.dynamodb.model;
import java.util.*;
public class Shown {
    public final Map<String, Object> members = new LinkedHashMap<>();
    public Shown with(String name, Object value) { members.put(name, value); return this; }
    public static String json(Object value) {
        StringJoiner joined;
        if (value instanceof Shown shown) return json(shown.members);
        if (value instanceof Map<?, ?> map) {
            joined = new StringJoiner(",", "{", "}");
            for (Map.Entry<?, ?> each : map.entrySet()) joined.add(json(each.getKey()) + ":" + json(each.getValue()));
            return joined.toString();
        }
        if (value instanceof Collection<?> list) {
            joined = new StringJoiner(",", "[", "]");
            for (Object member : list) joined.add(json(member));
            return joined.toString();
        }
        if (value instanceof Number || value instanceof Boolean) return value.toString();
        StringBuilder text = new StringBuilder("\\"");
        for (char unit : value.toString().toCharArray()) text.append(String.format("\\\\u%04x", (int) unit));
        return text.append('"').toString();
    }
}
"""
_ATTRIBUTE_VALUE = """package software.amazon.awssdk.services.dynamodb.model;
import java.util.*;
import software.amazon.awssdk.core.SdkBytes;
public final class AttributeValue extends Shown {
    public static class Builder {}
    private static AttributeValue of(String tag, Object value) {
        AttributeValue made = new AttributeValue();
        made.with(tag, value);
        return made;
    }
    public static AttributeValue fromS(String s) { return of("S", s); }
    public static AttributeValue fromN(String n) { return of("N", n); }
    public static AttributeValue fromB(SdkBytes b) { return of("B", b); }
    public static AttributeValue fromBool(Boolean b) { return of("BOOL", b); }
    public static AttributeValue fromNul(Boolean b) { return of("NULL", b); }
    public static AttributeValue fromSs(List<String> ss) { return of("SS", ss); }
    public static AttributeValue fromNs(List<String> ns) { return of("NS", ns); }
    public static AttributeValue fromBs(List<SdkBytes> bs) { return of("BS", bs); }
    public static AttributeValue fromL(List<AttributeValue> l) { return of("L", l); }
    public static AttributeValue fromM(Map<String, AttributeValue> m) { return of("M", m); }
}
"""


def write_stubs(folder: Path, operations: Iterable[str]) -> list[Path]:
    """The source files."""
    model = f"{_PACKAGE}/services/dynamodb/model"
    sources = {
        f"{_PACKAGE}/core/SdkBytes.java": _SDK_BYTES,
        f"{_PACKAGE}/regions/Region.java": _REGION,
        f"{model}/Shown.java": _SHOWN,
        f"{model}/AttributeValue.java": _ATTRIBUTE_VALUE,
    }
    service = Session().get_service_model("dynamodb")
    methods = []
    structures: dict[str, StructureShape] = {}
    for operation in operations:
        shape = service.operation_model(operation).input_shape
        assert shape is not None
        structures[f"{operation}Request"] = shape
        for inner in _structures_in(shape):
            structures[inner.name] = inner
        sources[f"{model}/{operation}Response.java"] = _in_model(f"public class {operation}Response {{}}")
        methods.append(
            f"public {operation}Response {operation[0].lower()}{operation[1:]}({operation}Request request) {{"
            f'System.out.println(region + " " + endpoint + " {operation} " + Shown.json(request));'
            f"return new {operation}Response(); }}"
        )
    for name, structure in structures.items():
        sources[f"{model}/{name}.java"] = _in_model(_class(name, structure))
    sources[f"{_PACKAGE}/services/dynamodb/DynamoDbClient.java"] = _client(methods)
    files = []
    for path, source in sources.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
        files.append(file)
    return files


def _client(methods: Iterable[str]) -> str:
    body = "\n    ".join(methods)
    return f"""package software.amazon.awssdk.services.dynamodb;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.model.*;
public class DynamoDbClient implements AutoCloseable {{
    private Region region;
    private java.net.URI endpoint;
    public static DynamoDbClient create() {{ return builder().build(); }}
    public static Builder builder() {{ return new Builder(); }}
    @Override public void close() {{}}
    public static class Builder {{
        private final DynamoDbClient made = new DynamoDbClient();
        public Builder region(Region region) {{ made.region = region; return this; }}
        public Builder endpointOverride(java.net.URI endpoint) {{ made.endpoint = endpoint; return this; }}
        public DynamoDbClient build() {{ return made; }}
    }}
    {body}
}}
"""


def _in_model(source: str) -> str:
    head = (
        "package software.amazon.awssdk.services.dynamodb.model;\nimport java.util.*;\nimport java.util.function.*;\n"
    )
    return head + source + "\n"


def _class(name: str, structure: StructureShape) -> str:
    setters = "\n        ".join(
        setter for member, shape in structure.members.items() for setter in _setters(member, shape)
    )
    return f"""public class {name} extends Shown {{
    public static Builder builder() {{ return new Builder(); }}
    public static class Builder {{
        private final {name} made = new {name}();
        {setters}
        public {name} build() {{ return made; }}
    }}
}}"""


def _setters(member: str, shape: Shape) -> Iterable[str]:
    """With those beside them that a call might be taken for."""
    method = f"public Builder {member[0].lower()}{member[1:]}"
    keep = f'{{ made.with("{member}", value); return this; }}'
    ignore = "{ throw new UnsupportedOperationException(); }"
    yield f"{method}({_type(shape)} value) {keep}"
    if isinstance(shape, ListShape):
        yield f"{method}({_type(shape.member)}... value) {ignore}"
        if isinstance(shape.member, StructureShape) and shape.member.name != "AttributeValue":
            yield f"{method}(Consumer<{shape.member.name}.Builder>... value) {ignore}"
    elif isinstance(shape, StructureShape):
        yield f"{method}(Consumer<{shape.name}.Builder> value) {ignore}"


def _type(shape: Shape) -> str:
    match shape:
        case MapShape():
            inner = _type(shape.value)
            return f"Map<String, {f'? extends {inner}' if isinstance(shape.value, ListShape) else inner}>"
        case ListShape():
            inner = _type(shape.member)
            return f"Collection<{f'? extends {inner}' if isinstance(shape.member, MapShape) else inner}>"
        case StructureShape():
            return shape.name
        case _:
            return _TYPES.get(shape.type_name, "String")


def _structures_in(shape: Shape) -> Iterable[StructureShape]:
    match shape:
        case MapShape():
            yield from _structures_in(shape.value)
        case ListShape():
            yield from _structures_in(shape.member)
        case StructureShape() if shape.name != "AttributeValue":
            yield shape
            for member in shape.members.values():
                yield from _structures_in(member)
        case _:
            pass
