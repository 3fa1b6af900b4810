package filesystem

import (
	"cmp"
	"slices"
)

// The lines of two texts are compared in three steps, each of which takes time
// and memory that are bounded by the lines: equal lines at both ends are set
// aside; lines that occur once in each, in the same order, are taken for
// unchanged; between them, a shortest edit script is looked for, unless it is
// longer than mostSteps: then all of that part counts as changed.

// mostSteps is how many lines may be added and removed between two lines that
// are unchanged, for the shortest way to be looked for.
const mostSteps = 200

// change says that lines of the old text have become others; either may be
// none.
type change struct {
	old, new span
}

// compare gives the changes in order.
func compare(old, new []string) []change {
	c := comparison{old: old, new: new}
	c.compare(span{0, len(old)}, span{0, len(new)}, true)
	return c.changes
}

type comparison struct {
	old, new []string
	changes  []change
}

// add adds a change, or extends the last one.
func (c *comparison) add(old, new span) {
	if old.begin == old.end && new.begin == new.end {
		return
	}
	if last := len(c.changes) - 1; last >= 0 && c.changes[last].old.end == old.begin && c.changes[last].new.end == new.begin {
		c.changes[last].old.end, c.changes[last].new.end = old.end, new.end
		return
	}
	c.changes = append(c.changes, change{old, new})
}

func (c *comparison) compare(old, new span, anchored bool) {
	for old.begin < old.end && new.begin < new.end && c.old[old.begin] == c.new[new.begin] {
		old.begin++
		new.begin++
	}
	for old.begin < old.end && new.begin < new.end && c.old[old.end-1] == c.new[new.end-1] {
		old.end--
		new.end--
	}
	switch {
	case old.begin == old.end || new.begin == new.end:
		c.add(old, new)
	case anchored:
		for _, anchor := range append(c.anchors(old, new), change{span{old.end, old.end}, span{new.end, new.end}}) {
			c.compare(span{old.begin, anchor.old.begin}, span{new.begin, anchor.new.begin}, false)
			old.begin, new.begin = anchor.old.end, anchor.new.end
		}
	default:
		c.shortest(old, new)
	}
}

// anchors gives the lines that occur once in each part, as many as are in the
// same order.
func (c *comparison) anchors(old, new span) []change {
	type place struct{ olds, news, old, new int }
	places := make(map[string]*place)
	for i := old.begin; i < old.end; i++ {
		p := places[c.old[i]]
		if p == nil {
			p = &place{}
			places[c.old[i]] = p
		}
		p.olds++
		p.old = i
	}
	for i := new.begin; i < new.end; i++ {
		if p := places[c.new[i]]; p != nil {
			p.news++
			p.new = i
		}
	}
	var unique []place
	for _, p := range places {
		if p.olds == 1 && p.news == 1 {
			unique = append(unique, *p)
		}
	}
	slices.SortFunc(unique, func(a, b place) int { return cmp.Compare(a.old, b.old) })
	news := make([]int, len(unique))
	for i, p := range unique {
		news[i] = p.new
	}
	var anchors []change
	for _, i := range longestRise(news) {
		anchors = append(anchors, change{span{unique[i].old, unique[i].old + 1}, span{unique[i].new, unique[i].new + 1}})
	}
	return anchors
}

// longestRise gives the places of a longest rising sequence among the numbers.
func longestRise(numbers []int) []int {
	var ends []int                      // the place where the best sequence of each length ends
	before := make([]int, len(numbers)) // the place before it in its sequence
	for i, number := range numbers {
		length, _ := slices.BinarySearchFunc(ends, number, func(end, number int) int { return cmp.Compare(numbers[end], number) })
		before[i] = -1
		if length > 0 {
			before[i] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, i)
		} else {
			ends[length] = i
		}
	}
	rise := make([]int, len(ends))
	if len(ends) > 0 {
		for i, at := len(ends)-1, ends[len(ends)-1]; i >= 0; i-- {
			rise[i], at = at, before[at]
		}
	}
	return rise
}

// shortest adds the changes of a shortest edit script (Myers): reach[k] is how
// far into the old lines one comes on diagonal k with so many steps.
func (c *comparison) shortest(old, new span) {
	a, b := c.old[old.begin:old.end], c.new[new.begin:new.end]
	limit := min(mostSteps, len(a)+len(b))
	reach := make([]int, 2*limit+3)
	var trace [][]int
	for steps := 0; steps <= limit; steps++ {
		trace = append(trace, slices.Clone(reach))
		for k := -steps; k <= steps; k += 2 {
			x := step(reach, limit+1, k, steps)
			for y := x - k; x < len(a) && y < len(b) && a[x] == b[y]; y++ {
				x++
			}
			reach[limit+1+k] = x
			if x >= len(a) && x-k >= len(b) {
				c.addPath(trace, limit+1, old, new)
				return
			}
		}
	}
	c.add(old, new)
}

// step gives where a further step onto diagonal k leads: down from the one
// above, a line added, or on from the one below, a line removed.
func step(reach []int, middle, k, steps int) int {
	if k == -steps || k != steps && reach[middle+k-1] < reach[middle+k+1] {
		return reach[middle+k+1]
	}
	return reach[middle+k-1] + 1
}

// addPath goes the way back and adds its changes.
func (c *comparison) addPath(trace [][]int, middle int, old, new span) {
	x, y := old.end-old.begin, new.end-new.begin
	var back []change
	for steps := len(trace) - 1; steps > 0; steps-- {
		reach, k := trace[steps], x-y
		from := k - 1
		if k == -steps || k != steps && reach[middle+k-1] < reach[middle+k+1] {
			from = k + 1
		}
		fromX := reach[middle+from]
		fromY := fromX - from
		toX, toY := fromX, fromY
		if from > k {
			toY++
		} else {
			toX++
		}
		back = append(back, change{span{old.begin + fromX, old.begin + toX}, span{new.begin + fromY, new.begin + toY}})
		x, y = fromX, fromY
	}
	for _, one := range slices.Backward(back) {
		c.add(one.old, one.new)
	}
}
